import Domain
import HTTPTypes
import Web

extension PostFilter {
  /// Parses the parameters `q`, `country`, `bbox`, `since` and `until`.
  ///
  /// - Throws: `Problem` for an invalid parameter.
  init(_ query: Query) throws(Problem) {
    let text = query["q"] ?? ""
    guard text.utf8.count <= Limits.placeBytesMax else {
      throw Problem(.badRequest, "invalid_q", "q must have at most \(Limits.placeBytesMax) bytes", field: "q")
    }
    if let flaw = VisibleText(text).flaw {
      throw Problem(.badRequest, "invalid_q", "q \(flaw.refusalReason)", field: "q")
    }
    self.init(
      feed: try FeedFilter(query), text: text, sinceMs: try Self.time("since", query) ?? .min,
      untilMs: try Self.time("until", query) ?? .max)
  }

  private static func time(_ name: String, _ query: Query) throws(Problem) -> Int64? {
    guard let text = query[name], !text.isEmpty else { return nil }
    // A plus in a UTC offset is decoded as a space unless the client escaped it.
    guard let unixMs = unixMs(timestamp: text.replacing(" ", with: "+")) else {
      throw Problem(
        .badRequest, "invalid_\(name)", "\(name) must be a time such as 2026-02-25T01:10:38Z", field: name)
    }
    return unixMs
  }
}
