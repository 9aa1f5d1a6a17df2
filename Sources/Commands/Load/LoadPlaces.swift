import Domain
import Foundation
import Gazetteer

/// The words in which the posts of a load test say where they are.
enum LoadPlaces: Sendable {
  /// A file's lines.
  case lines([String])
  /// A gazetteer's own towns, written as people write them.
  case towns(PlaceIndex.Rows)

  /// Smaller ones are seldom meant, and some of them have neither a region nor a name in Latin letters.
  static let populationMin: UInt32 = 5_000
  /// About 250 MB when all are as long as they may be.
  static let linesMax = 1_000_000

  /// Throws `SettingError` for a file that holds nothing, or what the server would refuse.
  init(file path: String) throws {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw SettingError("--places must be a file of UTF-8 lines that can be read, not \"\(path)\".")
    }
    var lines: [String] = []
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let line = String(line).trimmedLine
      guard !line.isEmpty else { continue }
      guard line.utf8.count <= Limits.placeBytesMax, line.isSafeLine else {
        throw SettingError(
          "--places: line \(number + 1) of \(path) must be a place of at most \(Limits.placeBytesMax) bytes "
            + "without control characters.")
      }
      lines.append(line)
    }
    guard (1...LoadPlaces.linesMax).contains(lines.count) else {
      throw SettingError("--places must be a file of 1 to \(LoadPlaces.linesMax) places; \(path) has \(lines.count).")
    }
    self = .lines(lines)
  }

  /// Throws `PlaceIndexError` for a file that is no gazetteer, `SettingError` for one without towns.
  init(gazetteer path: String) throws {
    let rows = try PlaceIndex.Rows(path: path, populationMin: LoadPlaces.populationMin)
    guard rows.count > 0 else {
      throw SettingError(.gazetteer, expected: "a gazetteer with towns; or give --places", came: path)
    }
    self = .towns(rows)
  }

  /// A place.
  ///
  /// - Parameter random: chooses the place, and how it is written.
  func text(random: UInt64) -> String {
    switch self {
    case .lines(let lines): return lines[Int(random % UInt64(lines.count))]
    case .towns(let rows):
      guard let town = rows[Int(random % UInt64(rows.count))] else { return "Seattle" }
      return LoadPlaces.text(town, form: random >> 56)
    }
  }

  /// A town in one of five forms.
  static func text(_ town: Place, form: UInt64) -> String {
    let full = [town.name, town.region, town.country].filter { !$0.isEmpty }.joined(separator: ", ")
    return switch form % 5 {
    case 0: town.name
    case 1: town.region.isEmpty ? full : "\(town.name), \(town.region)"
    case 2: "\(town.name) \(town.country)".lowercased()
    case 3: "\(town.name), \(town.countryCode)".uppercased()
    default: full
    }
  }
}
