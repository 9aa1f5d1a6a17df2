import Domain
import Foundation

/// A text in a header of a mail. The text is one line by construction: U+FFFD replaces line ends and all other hidden
/// characters. No text can therefore add a header.
package struct HeaderText: Sendable, Equatable {
  /// The line, at most `Limits.mailHeaderTextBytesMax` bytes.
  let text: String

  /// Makes any text safe, and cuts it to the limit.
  package init(_ text: String) {
    self.text = text.safeLine(bytesMax: Limits.mailHeaderTextBytesMax).trimmedLine
  }

  /// The text in an unstructured header, such as Subject (RFC 5322, section 2.2.1).
  var unstructured: String { isPlain ? text : encodedWords }

  /// The text before an address in angle brackets (RFC 5322, section 3.2.5). Empty for an empty text.
  var phrase: String {
    guard isPlain else { return encodedWords }
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return text.isEmpty ? "" : "\"\(escaped)\""
  }

  /// True for printable ASCII that no reader takes for encoded words.
  private var isPlain: Bool { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?") }

  /// The text as encoded words in Base64, one on each line (RFC 2047). A line has at most 76 bytes, also behind the
  /// header's name, and no word divides a character.
  private var encodedWords: String {
    var words: [String] = []
    var part: [UInt8] = []
    func endWord() {
      if !part.isEmpty { words.append("=?UTF-8?B?\(Data(part).base64EncodedString())?=") }
      part = []
    }
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      if part.count + bytes.count > HeaderText.wordBytesMax { endWord() }
      part += bytes
    }
    endWord()
    return words.joined(separator: "\r\n ")
  }

  /// Maximum number of bytes that one encoded word carries. They become 52 characters, besides 12 of the word's form.
  private static let wordBytesMax = 39
}
