/// Secret text. Every description, log line and dump of it, or of a value that holds it, shows three asterisks.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The secret itself. Send it only to its intended recipient.
  package let text: String

  package init(_ text: String) { self.text = text }

  /// `***`, like every other form of it.
  package var description: String { "***" }
  /// `***`
  package var debugDescription: String { description }
  /// An empty mirror, so that a dump of an enclosing value does not show the secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
