/// The name of a session: 32 lower-case hexadecimal digits. Half of what is stored of the token, so that it opens
/// nothing, and nobody can guess another's.
package struct SessionID: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  /// - Parameter tokenHash: of which the first 16 bytes are taken.
  package init(tokenHash: [UInt8]) {
    description = hexadecimal(tokenHash.prefix(16))
  }

  /// Nil unless these are 32 lower-case hexadecimal digits.
  package init?(_ text: some StringProtocol) {
    guard [UInt8](hexadecimal: text)?.count == 16 else { return nil }
    description = String(text)
  }
}

/// From where somebody logs in.
package struct LoginSource: Sendable, Equatable {
  /// Nil where nobody knows.
  package let address: IPAddress?
  /// What the client calls itself, one safe line of `Limits.agentBytesMax` bytes at most; may be empty.
  package let agent: String

  /// - Parameter agent: as it came; what is too much of it is cut off.
  package init(address: IPAddress?, agent: String) {
    self.address = address
    self.agent = agent.safeLine(bytesMax: Limits.agentBytesMax)
  }
}

/// Somebody who is logged in somewhere.
package struct Session: Sendable, Equatable {
  package let id: SessionID
  package let account: Account
  /// Milliseconds since 1970, UTC.
  package let createdMs: Int64
  /// From then on it is none; milliseconds since 1970, UTC.
  package let expiresMs: Int64
  /// As it was when it began.
  package let source: LoginSource

  package init(id: SessionID, account: Account, createdMs: Int64, expiresMs: Int64, source: LoginSource) {
    self.id = id
    self.account = account
    self.createdMs = createdMs
    self.expiresMs = expiresMs
    self.source = source
  }
}
