import Domain
import Foundation
import Testing

@testable import Gazetteer

/// Public-domain cases. Accuracy is the share of cases whose place is within the case's allowed distance.
@Suite("Accuracy")
struct AccuracyTests {
  struct Case {
    var text: String
    var latitude: Double
    var longitude: Double
    var kind: String
    var kilometres: Double
  }

  /// The minimum accuracy by kind, somewhat below the measured accuracy. The gazetteer contains the cities of the US
  /// Census, so their cases test parsing and not coverage.
  private static let accuracyMin: [String: Double] = [
    "us_place_random": 0.99, "us_place_statename": 0.95, "us_zip": 0.99, "tz_zone_city": 0.83, "ne_city_bare": 0.96,
    "country": 0.91, "capital_country": 0.98, "country_localised": 0.95, "country_native": 0.7, "typo_drop": 0.7,
    "typo_double": 0.85, "typo_replace": 0.95, "typo_swap": 0.95,
  ]

  @Test("At least 97 of 100 places with a confidence of 0.9 are right")
  func calibrated() throws {
    let index = try World.index.get()
    var (confident, correct) = (0, 0)
    for example in try Self.cases() {
      guard let place = index.locate(PlaceQuery(example.text)).first, place.confidence >= 0.9 else { continue }
      confident += 1
      correct += Self.kilometres(place.coordinate, example) <= example.kilometres ? 1 : 0
    }
    #expect(confident > 500 && correct * 100 >= confident * 97, "\(correct) of \(confident)")
  }

  @Test("Public cases reach the minimum accuracy of their kind")
  func publicCases() throws {
    let index = try World.index.get()
    var correct: [String: Int] = [:]
    var total: [String: Int] = [:]
    for example in try Self.cases() {
      total[example.kind, default: 0] += 1
      guard let place = index.locate(PlaceQuery(example.text)).first else { continue }
      if Self.kilometres(place.coordinate, example) <= example.kilometres { correct[example.kind, default: 0] += 1 }
    }
    var report: [String] = []
    for (kind, count) in total.sorted(by: { $0.key < $1.key }) {
      let share = Double(correct[kind] ?? 0) / Double(count)
      report.append("\(kind) \(correct[kind] ?? 0)/\(count)")
      #expect(share >= Self.accuracyMin[kind] ?? 0, "\(kind)")
    }
    FileHandle.standardError.write(Data("accuracy: \(report.joined(separator: ", "))\n".utf8))
  }

  static func cases() throws -> [Case] {
    let text = try String(contentsOf: World.sources.appending(path: "Fixtures/public_domain.csv"), encoding: .utf8)
    return text.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
      let fields = fields(of: line)
      guard fields.count == 6, let latitude = Double(fields[1]), let longitude = Double(fields[2]),
        let kilometres = Double(fields[5])
      else { return nil }
      let kind = fields[3].split(separator: ":")[0]
      return Case(
        text: fields[0], latitude: latitude, longitude: longitude, kind: String(kind), kilometres: kilometres)
    }
  }

  /// Returns the fields of a CSV line. Does not handle quotes inside quotes.
  private static func fields(of line: Substring) -> [String] {
    var fields = [""]
    var isQuoted = false
    for character in line {
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted: fields.append("")
      default: fields[fields.count - 1].append(character)
      }
    }
    return fields
  }

  /// The great-circle distance (haversine), on a sphere of 6371 km.
  private static func kilometres(_ place: Coordinate, _ example: Case) -> Double {
    let radians = Double.pi / 180
    let (a, b) = (place.latitude * radians, example.latitude * radians)
    let half = (sin((b - a) / 2), sin((example.longitude - place.longitude) * radians / 2))
    return 2 * 6371 * asin((half.0 * half.0 + cos(a) * cos(b) * half.1 * half.1).squareRoot())
  }
}
