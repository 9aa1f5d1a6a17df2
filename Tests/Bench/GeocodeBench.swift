import Domain
import Foundation
import GRDB
import Gazetteer
import Glibc

/// Benchmark of the gazetteer on one core, compared with SQLite's FTS5 over the same places. The texts are from
/// gazetteer rows.
struct GeocodeBench {
  /// Texts of one kind.
  private struct Kind {
    let name: String
    let texts: [String]
    /// True to measure the texts in the baseline, too.
    var isCompared = false
  }

  private let path: String
  private let kinds: [Kind]
  /// Folded names as in the index.
  private let folded: [String]
  private let yardstick: DatabaseQueue

  private static let texts = 4_000
  private static let populationMin: UInt32 = 15_000

  /// Makes the texts, which are the same each time, and the table of the baseline.
  ///
  /// - Parameter cases: Folder of CSV files with a first column "query", whose texts are measured, too. Nil for the
  ///   public cases in the repository.
  init(folder: URL, cases: String?) throws {
    path =
      URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("gazetteer.otm").path
    let rows = try PlaceIndex.Rows(path: path, populationMin: Self.populationMin)
    let cities = (0..<Self.texts).compactMap { rows[$0 * rows.count / Self.texts] }
    kinds =
      [
        Kind(name: "exact names, parsed and located", texts: cities.map(\.name)),
        Kind(name: "city, region", texts: cities.map { $0.region.isEmpty ? $0.label : "\($0.name), \($0.region)" }),
        Kind(name: "city country", texts: cities.map { "\($0.name) \($0.country)".lowercased() }, isCompared: true),
        Kind(name: "addresses", texts: cities.enumerated().map { "\($0 + 1) Station Road, \($1.label)" }),
        Kind(name: "misspelt names", texts: cities.filter { $0.name.count > 6 }.map { Self.misspelt($0.name) }),
      ] + (try Self.kinds(in: cases ?? "Tests/GazetteerTests/Fixtures"))
    yardstick = try DatabaseQueue(path: folder.appendingPathComponent("fts5.sqlite").path)
    let all = try PlaceIndex.Rows(path: path, populationMin: 0)
    let names = all.foldedNames
    folded = (0..<Self.texts).compactMap { names[$0 * names.count / Self.texts].first }
    try yardstick.write { db in
      try db.execute(
        sql: "CREATE VIRTUAL TABLE place USING fts5 (name, context, population UNINDEXED, tokenize = 'unicode61')")
      let insert = try db.makeStatement(
        sql: "INSERT INTO place (rowid, name, context, population) VALUES (?, ?, ?, ?)")
      let order = all.byFallingPopulation
      for (row, index) in order.enumerated() {
        guard let place = all[index] else { continue }
        let context = "\(place.region) \(place.country) \(place.countryCode)"
        try insert.execute(
          arguments: [row + 1, names[index].joined(separator: " / "), context, order.count - row])
      }
      try db.execute(sql: "INSERT INTO place (place) VALUES ('optimize')")
    }
  }

  private static func kinds(in folder: String) throws -> [Kind] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".csv") }
    return try names.sorted().compactMap { name in
      let lines = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8).split(whereSeparator: \.isNewline)
      guard lines.first?.hasPrefix("query,") == true else { return nil }
      return Kind(name: name, texts: lines.dropFirst().map(first(of:)), isCompared: true)
    }
  }

  /// Returns the first field of a CSV line.
  private static func first(of line: Substring) -> String {
    guard line.first == "\"" else { return String(line.prefix { $0 != "," }) }
    // A quote within the field is doubled.
    let rest = line.dropFirst().replacingOccurrences(of: "\"\"", with: "\u{0}")
    return rest.prefix { $0 != "\"" }.replacingOccurrences(of: "\u{0}", with: "\"")
  }

  /// Returns the name without its fifth letter.
  private static func misspelt(_ name: String) -> String {
    var name = name
    name.remove(at: name.index(name.startIndex, offsetBy: 4))
    return name
  }

  /// Adds a repetition's figures to the table.
  func measure(into table: inout Table) throws {
    let before = try privateBytes()
    let clock = ContinuousClock()
    var index: PlaceIndex?
    let opening = try clock.measure {
      index = try PlaceIndex(path: path)
      _ = index?.locate(PlaceQuery("Seattle, WA"))
    }
    guard let index else { return }
    table.add("gazetteer start-up ms", opening / .milliseconds(1))
    table.add("gazetteer file MB", Double(index.byteCount) / 1e6)
    var known = 0
    let lookups = Self.perSecond(of: folded.count) { for name in folded where index.knows(folded: name) { known += 1 } }
    guard known > 0, known.isMultiple(of: folded.count) else { throw BenchError("not all names are known") }
    table.add("exact names, looked up /s", lookups)
    for kind in kinds {
      let queries = kind.texts.map { PlaceQuery($0) }
      var found = 0
      let perSecond = Self.perSecond(of: queries.count) { for query in queries { found += index.locate(query).count } }
      guard found > 0 else { throw BenchError("no \(kind.name) were found") }
      table.add("\(kind.name) /s", perSecond)
      if kind.name == "misspelt names" {
        var times = queries.map { query in clock.measure { _ = index.locate(query) } / .milliseconds(1) }
        times.sort()
        table.add("misspelt names p99 ms", times[times.count * 99 / 100])
      }
      guard kind.isCompared else { continue }
      // The usual order, and the fastest order. Rows are stored by population, so the first match suffices.
      for (order, name) in [("population DESC", "by inhabitants"), ("rowid", "by row")] {
        let others = try fts5(kind.texts, order: order)
        table.add("  FTS5 \(name) /s, \(others.foundPercent) % of \(kind.name) found", others.perSecond)
        table.add("  \(kind.name) / FTS5 \(name)", perSecond / others.perSecond)
      }
    }
    table.add("gazetteer private memory MB", max(Double(try privateBytes() - before) / 1e6, 0))
  }

  /// Measures queries with one prepared statement. A query finds the first place, by `order`, with all words of a text.
  private func fts5(_ texts: [String], order: String) throws -> (perSecond: Double, foundPercent: Int) {
    let matches = texts.map { text in
      text.split { !$0.isLetter && !$0.isNumber }.map { "\"\($0)\"" }.joined(separator: " ")
    }.filter { !$0.isEmpty }
    return try yardstick.read { db in
      let statement = try db.makeStatement(sql: "SELECT rowid FROM place WHERE place MATCH ? ORDER BY \(order) LIMIT 1")
      var failure: (any Error)?
      var (count, found) = (0, 0)
      let perSecond = Self.perSecond(of: matches.count) {
        for match in matches {
          do { found += try Int64.fetchOne(statement, arguments: [match]) == nil ? 0 : 1 } catch { failure = error }
          count += 1
        }
      }
      if let failure { throw failure }
      return (perSecond, found * 100 / max(count, 1))
    }
  }

  /// Repeats the work for a second of this process's CPU time. Returns the items per second of CPU time.
  private static func perSecond(of count: Int, _ work: () -> Void) -> Double {
    work()
    let start = cpuSeconds
    var rounds = 0
    while cpuSeconds - start < 1 {
      work()
      rounds += 1
    }
    return Double(rounds * count) / (cpuSeconds - start)
  }

  private static var cpuSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

  /// Returns the private dirty memory of this process, in bytes.
  private func privateBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("Private_Dirty") }
      .compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }.reduce(0, +) * 1_024
  }
}
