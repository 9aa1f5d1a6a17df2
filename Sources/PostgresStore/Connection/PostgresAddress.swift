import Domain
import Glibc

/// The error of an address or a password file that cannot be used. The text names the fault and the remedy. It never
/// contains a password.
package struct PostgresAddressError: Error, Equatable, CustomStringConvertible {
  package let description: String
  /// True for a fault of the password file, false for one of the URL.
  package let isOfPasswordFile: Bool

  init(_ description: String, isOfPasswordFile: Bool = false) {
    (self.description, self.isOfPasswordFile) = (description, isOfPasswordFile)
  }

  /// The error of a password file that cannot be used.
  static func passwordFile(_ description: String) -> Self { Self(description, isOfPasswordFile: true) }

  fileprivate static let password = PostgresAddressError(
    "the URL contains a password, which logs and the list of processes would show. Remove it, and name a file with "
      + "--store-password-file.")

  /// The error of a part that `PercentEncoding` cannot decode.
  static func encoding(_ part: String) -> Self {
    Self("the \(part) in the URL has an invalid percent-encoding or a control character. Correct it.")
  }
}

/// Address of a PostgreSQL database: its servers, and the parameters of a connection. It contains no password.
package struct PostgresAddress: Sendable, Equatable, CustomStringConvertible {
  /// A server of the database.
  package struct Host: Sendable, Hashable, CustomStringConvertible {
    /// Name, IP address without brackets, or absolute path of the folder of a Unix socket.
    package let name: String
    /// Port, 1 to 65535. The name of a Unix socket's file contains it too.
    package let port: Int

    /// True for a Unix socket.
    var isSocket: Bool { name.hasPrefix("/") }
    /// True if a connection does not leave this machine, so that it needs no encryption.
    package var isLocal: Bool { isSocket || name.lowercased() == "localhost" || IPAddress(name)?.isLoopback ?? false }

    /// Host and port as in a URL.
    package var description: String {
      let host = isSocket ? PercentEncoding.encode(name) : name.contains(":") ? "[\(name)]" : name
      return "\(host):\(port)"
    }
  }

  /// The servers, in the order in which to try them.
  package let hosts: [Host]
  /// Name of the role. Nil for the name of the process's user.
  package let user: String?
  package let database: String
  /// Path of the file with the password. Nil if the server asks for none.
  package let passwordFile: String?
  private let parameters: [AddressParameter: String]

  /// Parses a URL such as `postgresql://onthemap@db1.example.org:5432,db2.example.org/onthemap?sslmode=verify-full`.
  /// Opens no file.
  ///
  /// - Parameters:
  ///   - text: The URL. The folder of a Unix socket is a percent-encoded host, such as `%2Frun%2Fpostgresql`.
  ///   - passwordFile: Path of the file with the password. Nil if the server asks for none.
  /// - Throws: `PostgresAddressError` for a URL that breaks a rule, has a password, or has an unknown parameter.
  package init(_ text: String, passwordFile: String?) throws(PostgresAddressError) {
    let parts = try AddressParts(text)
    user = if let user = parts.user { try PercentEncoding.decodeName(user, "user") } else { nil }
    guard !parts.database.isEmpty else {
      throw PostgresAddressError(
        "the URL has no database. Write its name after the host, such as postgresql://db.example.org/onthemap.")
    }
    guard !parts.database.contains("/") else {
      throw PostgresAddressError("the name of the database contains a slash. Write it as %2F.")
    }
    database = try PercentEncoding.decodeName(parts.database, "database")
    var hosts: [Host] = []
    for entry in parts.hosts.split(separator: ",", omittingEmptySubsequences: false) {
      let host = try Host(entry)
      guard !hosts.contains(host) else {
        throw PostgresAddressError("the URL contains \(host) twice. Name each host once.")
      }
      hosts.append(host)
    }
    guard hosts.count <= Limits.postgresHostsMax else {
      throw PostgresAddressError(
        "the URL has \(hosts.count) hosts. Name at most \(Limits.postgresHostsMax).")
    }
    self.hosts = hosts
    parameters = try PostgresAddress.parameters(parts.query)
    self.passwordFile = passwordFile
  }

  /// Mode of TLS, as in libpq's `sslmode`. Default: `verify-full`, or `prefer` if all hosts are on this machine.
  package var tlsMode: String {
    parameters[.tlsMode] ?? (hosts.allSatisfy(\.isLocal) ? "prefer" : "verify-full")
  }

  /// Timeout of a connection attempt to one host, in milliseconds. `PQconnectPoll` does not apply the keyword
  /// `connect_timeout`, so its caller has to stop at this time.
  package var connectMs: Int64 {
    parameters[.connectTimeout].flatMap { Int64($0) }.map { $0 * 1_000 } ?? Limits.postgresConnectMs
  }

  /// The address as a URL, without secrets, for logs.
  package var description: String {
    let user = user.map { PercentEncoding.encode($0) + "@" } ?? ""
    let hosts = hosts.map(\.description).joined(separator: ",")
    return "postgresql://\(user)\(hosts)/\(PercentEncoding.encode(database))?sslmode=\(tlsMode)"
  }

  /// Returns keywords and values for `PQconnectStartParams`, with the current password. Blocks on the disk.
  ///
  /// Pass 0 as `expand_dbname`, so that libpq does not read the name of the database as another address.
  ///
  /// - Parameters:
  ///   - host: The host of this attempt. Nil for all hosts, which libpq then tries in their order.
  ///   - sessionOptions: Settings of the session, such as `-c jit=off`.
  ///   - targetSessionAttributes: Required state of the server, as in libpq's `target_session_attrs`.
  /// - Throws: `PostgresAddressError` for a password file that cannot be used. Retry, because an operator may be
  ///   replacing the file.
  package func keywords(
    for host: Host? = nil, sessionOptions: String, targetSessionAttributes: String
  ) throws(PostgresAddressError) -> [(key: String, value: String)] {
    let hosts = host.map { [$0] } ?? hosts
    var keywords: [(key: String, value: String)] = [
      ("host", hosts.map(\.name).joined(separator: ",")),
      ("port", hosts.map { "\($0.port)" }.joined(separator: ",")),
      ("dbname", database),
    ]
    if let user { keywords.append(("user", user)) }
    if let password = try password() { keywords.append(("password", password)) }
    for parameter in AddressParameter.allCases {
      let usual = parameter == .tlsMode ? tlsMode : parameter.usual
      if let value = parameters[parameter] ?? usual { keywords.append((parameter.rawValue, value)) }
    }
    return keywords + [
      // Otherwise a Kerberos ticket of the process's user would replace TLS, and the rules of sslmode.
      ("gssencmode", "disable"),
      ("keepalives", "1"),
      ("keepalives_idle", "\(Limits.postgresKeepaliveIdleSeconds)"),
      ("keepalives_interval", "\(Limits.postgresKeepaliveIntervalSeconds)"),
      ("keepalives_count", "\(Limits.postgresKeepaliveProbesMax)"),
      ("client_encoding", "UTF8"),
      ("target_session_attrs", targetSessionAttributes),
      ("options", sessionOptions),
    ]
  }

  /// Checks that the process can read the files of the address. Blocks on the disk.
  ///
  /// - Throws: `PostgresAddressError` with the file.
  package func checkFiles() throws(PostgresAddressError) {
    for parameter in AddressParameter.allCases where parameter.isFile {
      guard let path = parameters[parameter] else { continue }
      guard access(path, R_OK) == 0 else {
        throw PostgresAddressError(
          "cannot read \(path) of \(parameter.rawValue): \(String(cString: strerror(errno))). Correct the path, or its "
            + "permissions for the service's user.")
      }
    }
    _ = try password()
  }

  /// Returns the password. Nil without a password file. Reads the file, so a new password counts from the next call.
  private func password() throws(PostgresAddressError) -> String? {
    guard let passwordFile else { return nil }
    return try PasswordFile.read(passwordFile)
  }

  private static func parameters(_ query: Substring?) throws(PostgresAddressError) -> [AddressParameter: String] {
    var parameters: [AddressParameter: String] = [:]
    guard let query else { return parameters }
    for entry in query.split(separator: "&", omittingEmptySubsequences: false) {
      guard let equals = entry.firstIndex(of: "=") else {
        throw PostgresAddressError("a parameter of the URL is not NAME=value. Write it as sslmode=verify-full.")
      }
      let name = String(entry[..<equals])
      let parameter = try AddressParameter(name: name)
      let value = PercentEncoding.decode(entry[entry.index(after: equals)...])
      guard let value, parameter.accepts(value) else {
        throw PostgresAddressError("\(name) must be \(parameter.expected), not \"\(value ?? "")\".")
      }
      guard parameters.updateValue(value, forKey: parameter) == nil else {
        throw PostgresAddressError("the URL contains \(name) twice. Set each parameter once.")
      }
    }
    guard (parameters[.certificate] == nil) == (parameters[.key] == nil) else {
      throw PostgresAddressError("only one of sslcert and sslkey is set. Set both or neither.")
    }
    return parameters
  }
}

/// The encoded parts of a URL.
private struct AddressParts {
  let user: Substring?
  let hosts: Substring
  let database: Substring
  /// Text after the question mark. Nil without one.
  let query: Substring?

  init(_ text: String) throws(PostgresAddressError) {
    guard text.utf8.count <= Limits.postgresURLBytesMax else {
      throw PostgresAddressError(
        "the URL has \(text.utf8.count) bytes. Write at most \(Limits.postgresURLBytesMax) bytes.")
    }
    guard let scheme = ["postgresql://", "postgres://"].first(where: { text.hasPrefix($0) }) else {
      throw PostgresAddressError(
        "the URL does not begin with postgresql://. Write it as postgresql://onthemap@db.example.org/onthemap.")
    }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let tail = rest[authority.endIndex...]
    // No error before this check quotes the URL. A password may contain a slash or a question mark.
    guard !tail.contains("@") else {
      throw PostgresAddressError(
        "the URL contains @ after its hosts. Write the sign as %40 in a name or a path. If it follows a password, "
          + "remove the password, and name a file with --store-password-file.")
    }
    let at = authority.lastIndex(of: "@")
    user = at.map { authority[..<$0] }
    guard user?.contains(":") != true else { throw .password }
    hosts = at.map { authority[authority.index(after: $0)...] } ?? authority
    let path = tail.prefix { $0 != "?" }
    database = path.dropFirst()
    query = path.endIndex < tail.endIndex ? tail[tail.index(after: path.endIndex)...] : nil
  }
}

extension PostgresAddress.Host {
  /// Parses `HOST`, `HOST:PORT` or `[IPv6]:PORT`.
  fileprivate init(_ text: Substring) throws(PostgresAddressError) {
    let end: Substring.Index
    let isBracketed = text.hasPrefix("[")
    if isBracketed {
      let address = text.dropFirst().prefix { $0 != "]" }
      guard address.endIndex < text.endIndex, address.contains(":"), IPAddress(address) != nil else {
        throw PostgresAddressError("a host in brackets must be an IPv6 address such as [fd00::1], not \"\(address)\".")
      }
      name = String(address)
      end = text.index(after: address.endIndex)
    } else {
      let host = text.prefix { $0 != ":" }
      guard let decoded = PercentEncoding.decode(host) else { throw .encoding("host") }
      name = decoded
      end = host.endIndex
    }
    port = try PostgresAddress.Host.port(text[end...], of: text[..<end])
    if !isBracketed { try checkName() }
  }

  private static func port(_ text: Substring, of host: Substring) throws(PostgresAddressError) -> Int {
    guard !text.isEmpty else { return Limits.postgresPort }
    guard !text.dropFirst().contains(":") else {
      throw PostgresAddressError("the URL contains an IPv6 address without brackets. Write it as [fd00::1]:5432.")
    }
    // Text that is not a port may be part of a password, so the error does not quote it.
    guard text.hasPrefix(":"), let port = wholeNumber(text.dropFirst(), in: 1...65_535) else {
      throw PostgresAddressError("the port of \(host) must be a number from 1 to 65535.")
    }
    return port
  }

  /// Refuses a text that is neither a host name, an IPv4 address nor a folder.
  private func checkName() throws(PostgresAddressError) {
    guard !name.isEmpty else {
      throw PostgresAddressError(
        "the URL has a host without a name. Write it as postgresql://db.example.org/onthemap. For a Unix socket, write "
          + "its percent-encoded folder, such as %2Frun%2Fpostgresql.")
    }
    if isSocket {
      let socket = "\(name)/.s.PGSQL.\(port)"
      // libpq separates hosts with commas.
      guard !name.contains(","), socket.utf8.count <= Limits.postgresSocketPathBytesMax else {
        throw PostgresAddressError(
          "the path of a Unix socket must have no comma and at most \(Limits.postgresSocketPathBytesMax) bytes, not "
            + "\"\(socket)\".")
      }
      return
    }
    let isHostName = name.utf8.allSatisfy { byte in
      let character = Character(UnicodeScalar(byte))
      return byte < 0x80 && (character.isLetter || character.isNumber || "-._".contains(character))
    }
    guard isHostName, name.utf8.count <= Limits.postgresHostNameBytesMax else {
      throw PostgresAddressError("a host must be a name or an IP address, not \"\(name)\".")
    }
  }
}

/// A parameter of the URL that the program passes on to libpq.
private enum AddressParameter: String, CaseIterable {
  case tlsMode = "sslmode"
  case rootCertificate = "sslrootcert"
  case certificate = "sslcert"
  case key = "sslkey"
  case channelBinding = "channel_binding"
  case connectTimeout = "connect_timeout"
  case applicationName = "application_name"
  case userTimeout = "tcp_user_timeout"

  private static let tlsModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
  private static let channelBindings = ["disable", "prefer", "require"]

  init(name: String) throws(PostgresAddressError) {
    if let parameter = AddressParameter(rawValue: name) {
      self = parameter
      return
    }
    switch name {
    case "password", "sslpassword": throw .password
    case "target_session_attrs":
      throw PostgresAddressError(
        "target_session_attrs is not allowed in the URL, because the program sets it for each connection. Remove it.")
    default:
      let names = AddressParameter.allCases.map(\.rawValue).joined(separator: ", ")
      throw PostgresAddressError("the URL contains the unknown parameter \(name). Allowed are: \(names).")
    }
  }

  /// Value without one in the URL. Nil for libpq's own default, and for the mode of TLS, which depends on the hosts.
  var usual: String? {
    switch self {
    case .connectTimeout: "\(Limits.postgresConnectMs / 1_000)"
    case .applicationName: "onthemap"
    case .userTimeout: "\(Limits.postgresUserTimeoutMs)"
    default: nil
    }
  }

  /// True for the path of a file.
  var isFile: Bool { [.rootCertificate, .certificate, .key].contains(self) }

  /// The allowed values, for errors.
  var expected: String {
    switch self {
    case .tlsMode: "one of \(AddressParameter.tlsModes.joined(separator: ", "))"
    case .rootCertificate, .certificate, .key: "the absolute path of a file"
    case .channelBinding: "one of \(AddressParameter.channelBindings.joined(separator: ", "))"
    case .connectTimeout: "seconds, a number from \(words(Limits.postgresConnectSecondsRange))"
    case .applicationName: "a name of 1 to \(Limits.postgresNameBytesMax) printable ASCII characters"
    case .userTimeout: "milliseconds, a number from \(words(Limits.postgresUserTimeoutMsRange))"
    }
  }

  func accepts(_ value: String) -> Bool {
    switch self {
    case .tlsMode: AddressParameter.tlsModes.contains(value)
    case .rootCertificate, .certificate, .key: value.hasPrefix("/") && !value.hasSuffix("/")
    case .channelBinding: AddressParameter.channelBindings.contains(value)
    case .connectTimeout: wholeNumber(value, in: Limits.postgresConnectSecondsRange) != nil
    case .applicationName:
      (1...Limits.postgresNameBytesMax).contains(value.utf8.count) && value.utf8.allSatisfy { (32...126).contains($0) }
    case .userTimeout: wholeNumber(value, in: Limits.postgresUserTimeoutMsRange) != nil
    }
  }

  private func words(_ range: ClosedRange<Int>) -> String { "\(range.lowerBound) to \(range.upperBound)" }
}

/// Returns a number of decimal digits within a range. Nil for any other text.
private func wholeNumber(_ text: some StringProtocol, in range: ClosedRange<Int>) -> Int? {
  guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(text) else {
    return nil
  }
  return range.contains(number) ? number : nil
}
