import CZeroMQ
package import Domain
import Glibc

/// A CURVE key pair. Its description contains only the public key.
package struct KeyPair: Sendable, CustomStringConvertible {
  /// The public key, which others may know.
  package let publicKey: PublicKey
  /// The secret key: 40 characters of Z85. Never disclose it.
  package let secret: String

  /// Returns a new pair from the system's random numbers. Both keys begin with a letter or a digit, so that neither
  /// looks like an option.
  package static func random() throws(LinkError) -> KeyPair {
    var (publicText, secretText) = ([CChar](repeating: 0, count: 41), [CChar](repeating: 0, count: 41))
    while true {
      guard zmq_curve_keypair(&publicText, &secretText) == 0 else { throw .socket(reason: LinkError.lastReason) }
      let secret = KeyPair.text(secretText)
      guard let pair = KeyPair(secret: secret), KeyPair.text(publicText) == pair.publicKey.description,
        [secret, pair.publicKey.description].allSatisfy({ $0.first?.isLetter == true || $0.first?.isNumber == true })
      else { continue }
      return pair
    }
  }

  /// Creates the pair of a secret key. Nil if the text is not a key.
  package init?(secret: some StringProtocol) {
    guard secret.utf8.count == 40, Z85.bytes(secret) != nil else { return nil }
    var text = [CChar](repeating: 0, count: 41)
    guard zmq_curve_public(&text, String(secret)) == 0, let key = PublicKey(KeyPair.text(text)) else { return nil }
    publicKey = key
    self.secret = String(secret)
  }

  package var description: String { "KeyPair(\(publicKey))" }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// Authentication of peers on a listening link. A peer must know the link's public key, and `access` must permit the
/// peer's key.
package struct CurveServer: Sendable {
  /// The listener's own keys.
  package let keys: KeyPair
  package let access: LiveAllowList

  /// Creates the authentication of a link.
  ///
  /// - Parameters:
  ///   - keys: The listener's own keys.
  ///   - access: The public keys that may connect.
  package init(keys: KeyPair, access: LiveAllowList) {
    self.keys = keys
    self.access = access
  }
}

/// Authentication of a client: its own keys, and the public key that it expects of the link.
package struct CurveClient: Sendable {
  /// The client's own keys.
  package let keys: KeyPair
  /// The listener's public key.
  package let server: PublicKey
  /// True if the process generated the client's keys at its start, so that no allowlist can contain them.
  package let isTemporary: Bool

  /// Creates the authentication of a client.
  ///
  /// - Parameters:
  ///   - keys: The client's own keys.
  ///   - server: The listener's public key.
  ///   - isTemporary: True if the process generated the keys at its start.
  package init(keys: KeyPair, server: PublicKey, isTemporary: Bool = false) {
    self.keys = keys
    self.server = server
    self.isTemporary = isTemporary
  }
}

extension CurveServer {
  /// Authentication for a connection of the listening process to itself.
  package var client: CurveClient { CurveClient(keys: keys, server: keys.publicKey) }
}
