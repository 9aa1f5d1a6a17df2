/// Public id of a session: 32 lower-case hexadecimal digits, which are the first half of the token's stored hash. The
/// id grants no access, and cannot be guessed.
package struct SessionID: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  /// - Parameter tokenHash: Hash of the token. The id uses the first 16 bytes.
  package init(tokenHash: [UInt8]) {
    description = hexadecimal(tokenHash.prefix(16))
  }

  /// Returns nil unless the text is 32 lower-case hexadecimal digits.
  package init?(_ text: some StringProtocol) {
    guard [UInt8](hexadecimal: text)?.count == 16 else { return nil }
    description = String(text)
  }
}

/// Origin of a login: address and user agent.
package struct LoginSource: Sendable, Equatable {
  /// Address of the client. Nil if it is unknown.
  package let address: IPAddress?
  /// User agent from the client: one safe line of at most `Limits.agentBytesMax` bytes, possibly empty.
  package let agent: String

  /// - Parameter agent: Header text as received. The initializer makes it safe and cuts it to the limit.
  package init(address: IPAddress?, agent: String) {
    self.address = address
    self.agent = agent.safeLine(bytesMax: Limits.agentBytesMax)
  }
}

/// A login session of an account.
package struct Session: Sendable, Equatable {
  package let id: SessionID
  package let account: Account
  /// Start of the session, in milliseconds since 1970, UTC.
  package let createdMs: Int64
  /// End of the session, in milliseconds since 1970, UTC. The session is invalid from then on.
  package let expiresMs: Int64
  /// Origin of the login that started the session.
  package let source: LoginSource

  package init(id: SessionID, account: Account, createdMs: Int64, expiresMs: Int64, source: LoginSource) {
    self.id = id
    self.account = account
    self.createdMs = createdMs
    self.expiresMs = expiresMs
    self.source = source
  }
}
