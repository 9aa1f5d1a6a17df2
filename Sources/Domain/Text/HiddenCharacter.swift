/// A forbidden character in a text that other people read, and its position.
package struct HiddenCharacter: Sendable, Equatable {
  /// Reason why the character is refused.
  enum Reason: Sendable {
    case control, noncharacter, lineEnd, direction, nonJoiner, joiner, softHyphen, variation, tag, invisible

    fileprivate var clause: String {
      switch self {
      case .control: "is a control character"
      case .noncharacter: "is not a character"
      case .lineEnd: "ends the line"
      case .direction: "changes the direction of the text"
      case .nonJoiner: "belongs only between joining letters or after a virama"
      case .joiner: "belongs only within an emoji or beside a virama"
      case .softHyphen: "belongs only within a word"
      case .variation: "does not fit the character before it"
      case .tag: "belongs only within the flag of a region"
      case .invisible: "is invisible"
      }
    }
  }

  let scalar: Unicode.Scalar
  /// Position of the character in the text, in code points, from 1.
  let position: Int
  let reason: Reason

  /// Explanation that follows the field's name: "has U+202E RIGHT-TO-LEFT OVERRIDE at character 5, which changes the
  /// direction of the text: remove it".
  package var refusalReason: String {
    let properties = scalar.properties
    let name = (properties.name ?? properties.nameAlias).map { " \($0)" } ?? ""
    let number = String(scalar.value, radix: 16, uppercase: true)
    let code = String(repeating: "0", count: max(0, 4 - number.count)) + number
    return "has U+\(code)\(name) at character \(position), which \(reason.clause): remove it"
  }
}
