import Domain
import Foundation
import Gazetteer

/// The summary of a gazetteer, for people and for programs.
enum GazetteerText {
  private static let levels: [(level: Place.Level, name: String)] = [
    (.country, "countries"), (.region, "regions"), (.county, "counties"), (.city, "places"),
  ]

  static func lines(_ summary: PlaceIndexSummary) -> String {
    var rows = [("version", "\(summary.version)"), ("built", built(summary)), ("bytes", "\(summary.byteCount)")]
    rows += levels.map { ($0.name, "\(summary.placeCounts[$0.level] ?? 0)") }
    rows += [
      ("postcodes", "\(summary.postcodeCount)"), ("names", "\(summary.nameCount)"),
      ("languages", "\(summary.languageCount)"), ("checksum", summary.checksum), ("attribution", summary.attribution),
    ]
    return rows.map { $0.padding(toLength: 13, withPad: " ", startingAt: 0) + $1 }.joined(separator: "\n")
  }

  static func json(_ summary: PlaceIndexSummary) -> String {
    let object = JSONWriter.object { json in
      json.add("version", Int64(summary.version))
      json.add("builtAt", built(summary))
      json.add("bytes", Int64(summary.byteCount))
      for (level, name) in levels { json.add(name, Int64(summary.placeCounts[level] ?? 0)) }
      json.add("postcodes", Int64(summary.postcodeCount))
      json.add("names", Int64(summary.nameCount))
      json.add("languages", Int64(summary.languageCount))
      json.add("checksum", summary.checksum)
      json.add("attribution", summary.attribution)
    }
    return String(decoding: object.bytes, as: UTF8.self)
  }

  private static func built(_ summary: PlaceIndexSummary) -> String {
    Date(timeIntervalSince1970: TimeInterval(summary.builtAt)).formatted(.iso8601)
  }
}
