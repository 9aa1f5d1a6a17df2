import Foundation
import Testing

/// A service's metrics from `/metrics`.
struct Scrape: Sendable {
  /// The values by name and labels, as in the text: `a_total{b="c"}`.
  let values: [String: Double]
  /// The types by metric name.
  let types: [String: String]

  init(_ client: Client) async throws {
    let response = try await client.get("/metrics")
    #expect(response.status == 200)
    #expect(response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
    try self.init(text: String(decoding: response.body, as: UTF8.self))
  }

  /// Parses the text format by its specification. Records an issue for a malformed line.
  init(text: String) throws {
    var (values, types): ([String: Double], [String: String]) = ([:], [:])
    // Create the expressions once for all lines, because each evaluation of a literal compiles it.
    let typeLine = #/# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|histogram)/#
    let sampleLine = #/(([a-z_:][a-z0-9_:]*)(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})?) (\S+)/#
    let suffix = #/_(bucket|sum|count)$/#
    #expect(text.hasSuffix("\n"))
    for line in text.split(separator: "\n") {
      if let type = line.wholeMatch(of: typeLine) {
        #expect(types.updateValue(String(type.2), forKey: String(type.1)) == nil, "\(line) is repeated")
      } else if let sample = line.wholeMatch(of: sampleLine) {
        let value = try #require(Double(sample.5.replacing("+Inf", with: "inf")), "\(line)")
        #expect(values.updateValue(value, forKey: String(sample.1)) == nil, "\(line) is repeated")
        let name = String(sample.2.replacing(suffix, with: ""))
        #expect(types[String(sample.2)] != nil || types[name] == "histogram", "\(line) has no type before it")
      } else {
        #expect(line.hasPrefix("# HELP "), "\(line)")
      }
    }
    (self.values, self.types) = (values, types)
  }

  /// Returns a value, or 0 if it is missing.
  subscript(_ name: String) -> Double { values[name] ?? 0 }
}
