/// The failure of a connection to the mail server.
package struct MailFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// Stage at which the connection failed.
  package enum Stage: Sendable, Equatable {
    /// No address of the host.
    case lookup
    /// No connection, or no reply in time.
    case connection
    /// No TLS, or an invalid certificate.
    case encryption
    /// The server offers no login, or refused the user or the password.
    case login
    /// The server refused the sender, the recipient or the mail.
    case delivery
  }

  package let stage: Stage
  /// Last reply code of the server, such as 550. 0 without a reply.
  package let reply: Int
  package let description: String

  /// True if another attempt may succeed. A reply from 500 is permanent (RFC 5321, section 4.2.1). A missing TLS and a
  /// missing login are not retried, because only a changed configuration repairs them.
  package var isTemporary: Bool {
    switch stage {
    case .lookup, .connection, .delivery: reply < 500
    case .encryption: false
    case .login: (400..<500).contains(reply)
    }
  }
}
