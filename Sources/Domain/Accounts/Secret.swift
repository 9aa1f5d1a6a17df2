/// What nobody is to read: in texts, in logs, and in those of all that holds it, it is three asterisks.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// To be sent to where it belongs, and to nobody else.
  package let text: String

  package init(_ text: String) { self.text = text }

  /// `***`, as every form of it.
  package var description: String { "***" }
  /// `***`
  package var debugDescription: String { description }
  /// Nothing: a dump of what holds it shows none of it.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
