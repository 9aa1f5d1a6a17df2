import Foundation
package import Hummingbird

/// Query parameters of a URL, decoded like a form. A plus is a space.
package struct Query: Sendable {
  private let values: [(name: String, value: String)]

  package init(_ request: Request) {
    values = (request.uri.query ?? "").split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Query.decoded)
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
  }

  /// The first value of a parameter. Nil if the parameter is absent.
  package subscript(name: String) -> String? { values.first { $0.name == name }?.value }

  private static func decoded(_ text: Substring) -> String {
    // Most values need no decoding, which costs more than the rest of a cheap request.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return String(text) }
    let spaced = String(text.replacing("+", with: " "))
    // Bytes that are not UTF-8 decode to an empty text.
    return spaced.removingPercentEncoding ?? ""
  }
}
