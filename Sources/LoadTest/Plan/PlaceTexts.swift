import Domain
import Foundation
package import Gazetteer

/// The place texts of a load test's posts.
package enum PlaceTexts: Sendable {
  /// The lines of a file.
  case lines([String])
  /// The cities of a gazetteer, in several spellings.
  case cities(PlaceIndex.Rows)

  /// Reads a file's lines.
  ///
  /// - Throws: `LoadTestError` for an empty file, or for a line that the server would refuse.
  package init(file path: String) throws {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw LoadTestError.placesUnreadable(path: path)
    }
    var lines: [String] = []
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let line = String(line).trimmedLine
      guard !line.isEmpty else { continue }
      guard line.utf8.count <= Limits.placeBytesMax, line.isSafeLine else {
        throw LoadTestError.placeRefused(path: path, line: number + 1)
      }
      lines.append(line)
    }
    guard (1...LoadLimits.placesMax).contains(lines.count) else {
      throw LoadTestError.placesCount(path: path, count: lines.count)
    }
    self = .lines(lines)
  }

  /// Reads a gazetteer's cities.
  ///
  /// - Throws: `PlaceIndexError` for a file that is not a gazetteer, `LoadTestError` for a gazetteer without cities.
  package init(gazetteer path: String) throws {
    let rows = try PlaceIndex.Rows(path: path, populationMin: LoadLimits.populationMin)
    guard rows.count > 0 else {
      throw LoadTestError.noCities(path: path)
    }
    self = .cities(rows)
  }

  /// Returns a place text.
  ///
  /// - Parameter random: Random number that chooses the place and its form.
  func text(random: UInt64) -> String {
    switch self {
    case .lines(let lines): return lines[Int(random % UInt64(lines.count))]
    case .cities(let rows):
      guard let city = rows[Int(random % UInt64(rows.count))] else { return "Seattle" }
      return PlaceTexts.text(city, form: random >> 56)
    }
  }

  /// Returns the text of a city in one of five forms.
  static func text(_ city: Place, form: UInt64) -> String {
    let full = [city.name, city.region, city.country].filter { !$0.isEmpty }.joined(separator: ", ")
    return switch form % 5 {
    case 0: city.name
    case 1: city.region.isEmpty ? full : "\(city.name), \(city.region)"
    case 2: "\(city.name) \(city.country)".lowercased()
    case 3: "\(city.name), \(city.countryCode)".uppercased()
    default: full
    }
  }
}
