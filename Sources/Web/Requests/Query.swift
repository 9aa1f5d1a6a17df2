import Foundation
package import Hummingbird

/// The parameters of an address, as forms write them: a plus is a space.
package struct Query: Sendable {
  private let values: [(name: String, value: String)]

  package init(_ request: Request) {
    values = (request.uri.query ?? "").split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Query.decoded)
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
  }

  /// The first value of a parameter; nil when it is not there.
  package subscript(name: String) -> String? { values.first { $0.name == name }?.value }

  private static func decoded(_ text: Substring) -> String {
    // Most need no decoding, which costs more than all the rest of a cheap request.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return String(text) }
    let spaced = String(text.replacing("+", with: " "))
    // What is no UTF-8 is no text: as if nothing had been given.
    return spaced.removingPercentEncoding ?? ""
  }
}
