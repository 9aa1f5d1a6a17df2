/// Secret text. Every description, log line and dump shows three asterisks instead, also for a value that contains the
/// secret.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The secret itself. Send it only to its intended recipient.
  package let text: String

  package init(_ text: String) { self.text = text }

  /// Three asterisks.
  package var description: String { "***" }
  /// Three asterisks.
  package var debugDescription: String { description }
  /// An empty mirror, so that a dump of an enclosing value does not show the secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
