import Domain
import Foundation

/// The mail server that accepts mails, and the account there. Create the configuration at startup, to report an invalid
/// one then.
package struct SMTPServer: Sendable, Equatable {
  /// A fault of the configuration. Final until the configuration changes.
  package enum ConfigurationError: Error, Sendable, Equatable {
    /// The URL is not `smtp://HOST:PORT` or `smtps://HOST:PORT`.
    case url
    /// The user or the password is missing, too long, or has a control character.
    case credentials
    /// A password would cross the network without encryption.
    case plaintextPassword
  }

  /// Encryption of the connection.
  package enum Encryption: Sendable, Equatable {
    /// None.
    case plaintext
    /// TLS after the greeting (STARTTLS). Without it, nothing is sent.
    case startTLS
    /// TLS from the first byte.
    case tls
  }

  /// Account at the server.
  struct Credentials: Sendable, Equatable {
    let user: String
    let password: Secret
  }

  /// Host name or address.
  package let host: String
  package let encryption: Encryption
  /// Port of the server: 587 by default, and 465 with `smtps`.
  package let port: Int
  let credentials: Credentials?
  /// True if the client logs in at the server.
  package var hasCredentials: Bool { credentials != nil }

  /// Validates the settings.
  ///
  /// - Parameters:
  ///   - url: `smtp://HOST:PORT` or `smtps://HOST:PORT`, without user, password and path.
  ///   - isPlaintext: True to use no STARTTLS. Nil allows that for this host only, which crosses no network.
  ///   - user: User at the server. Empty for none.
  ///   - password: Password at the server. Empty for none.
  /// - Throws: `ConfigurationError`.
  package init(
    url text: String, isPlaintext: Bool?, user: String, password: String
  ) throws(ConfigurationError) {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["smtp", "smtps"].contains(scheme),
      let authority = url.host(percentEncoded: false)?.lowercased(), SMTPServer.isHost(authority),
      (1...65_535).contains(url.port ?? 1), url.user == nil, url.password == nil, url.query == nil,
      url.fragment == nil, ["", "/"].contains(url.path)
    else { throw .url }
    // Foundation may keep the brackets of an IPv6 address.
    let name = authority.filter { $0 != "[" && $0 != "]" }
    host = name
    port = url.port ?? (scheme == "smtps" ? 465 : 587)
    let isLoopback = name == "localhost" || IPAddress(name)?.isLoopback ?? false
    encryption = scheme == "smtps" ? .tls : (isPlaintext ?? isLoopback) ? .plaintext : .startTLS
    guard user.isEmpty == password.isEmpty, SMTPServer.isCredential(user), SMTPServer.isCredential(password) else {
      throw .credentials
    }
    guard user.isEmpty || encryption != .plaintext || isLoopback else { throw .plaintextPassword }
    credentials = user.isEmpty ? nil : Credentials(user: user, password: Secret(password))
  }

  /// URL of the server for libcurl. Its path is the name with which the client introduces itself.
  func url(clientName: Substring) -> String {
    let authority = host.contains(":") ? "[\(host)]" : host
    return "\(encryption == .tls ? "smtps" : "smtp")://\(authority):\(port)/\(clientName)"
  }

  private static func isHost(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") }
  }

  private static func isCredential(_ text: String) -> Bool {
    text.utf8.count <= Limits.mailCredentialBytesMax && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
