import Domain
import Foundation
import Gazetteer

/// The accuracy of a gazetteer for texts with known places.
struct Score: Sendable {
  /// The number of rows, and of correct rows.
  struct Count: Sendable {
    var rows = 0
    var right = 0

    var share: Double { rows == 0 ? 0 : Double(right) / Double(rows) }

    mutating func add(_ isRight: Bool) {
      rows += 1
      if isRight { right += 1 }
    }
  }

  /// A row without a correct result.
  struct Miss: Sendable {
    var line: Int
    var kind: String
    var query: String
    /// Coordinate or name of the expected place.
    var expected: String
    /// The best result. Nil if there was none.
    var got: Place?
    /// Distance from the expected place to the best result, in km. Nil if it is unknown.
    var km: Double?
  }

  /// Minimum confidence of a result that is used without a check.
  static let confident = 0.9

  private(set) var all = Count()
  private(set) var kinds: [String: Count] = [:]
  /// Counts of the best results, by the tenth of their confidence. The last count includes confidence 1.
  private(set) var tenths = [Count](repeating: Count(), count: 10)
  /// Counts of the best results with a confidence of at least `confident`.
  private(set) var confidentResults = Count()
  private(set) var misses: [Miss] = []
  /// Number of rows without an expected place.
  private(set) var withoutPlace = 0
  /// Descriptions of invalid rows.
  private(set) var problems: [String] = []

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - miss: The row and its best result.
  ///   - isRight: True if the results are correct by the row's own rule.
  ///   - isBestRight: True if the best result is correct.
  mutating func add(_ miss: Miss, isRight: Bool, isBestRight: Bool) {
    all.add(isRight)
    kinds[miss.kind, default: Count()].add(isRight)
    if !isRight { misses.append(miss) }
    guard let confidence = miss.got?.confidence else { return }
    tenths[min(max(Int(confidence * 10), 0), 9)].add(isBestRight)
    if confidence >= Self.confident { confidentResults.add(isBestRight) }
  }

  mutating func skip() { withoutPlace += 1 }
  mutating func skip(_ problem: String) { problems.append(problem) }
}

/// The columns of a table of texts with their expected places.
struct ScoreTable: Sendable {
  private let options: QueryColumns
  private let query: Int?
  private let latitude: Int
  private let longitude: Int
  private let tolerance: Int?
  private let kind: Int?
  private let category: Int?
  /// Column of the number of results that count.
  private let topK: Int?
  /// Column of expected names: the name of the place at a point, or a name for people who read the misses.
  private let name: Int?
  private let columnCount: Int
  /// Query options for cells that a row leaves empty.
  private let defaults: PlaceQuery

  /// Finds the columns of a table.
  ///
  /// - Throws: `TableError` if a column is missing, or if columns contradict each other.
  init(_ header: TableHeader, defaults: PlaceQuery) throws(TableError) {
    // Here a column "level" is the level of the expected place, not a filter. The column top_k replaces the limit.
    options = try QueryColumns(header, ignored: [.level, .limit, .autocomplete])
    query = header.column("query")
    name = header.column("expected_city", "expected_name")
    tolerance = header.column("tolerance_km", "tol_km")
    (kind, category) = (header.column("kind", "category", "edit"), header.column("category"))
    topK = header.column("top_k")
    columnCount = header.names.count
    self.defaults = defaults
    guard let latitude = header.column("lat"), let longitude = header.column("lon") else {
      throw TableError("missing column lat or lon; \(header.description)")
    }
    (self.latitude, self.longitude) = (latitude, longitude)
    guard query == nil || tolerance != nil else {
      throw TableError("missing column tolerance_km (or tol_km); \(header.description)")
    }
    guard query != nil || header.column("expected_city") != nil else {
      throw TableError("missing column query (for reverse geocoding, expected_city); \(header.description)")
    }
  }

  /// Geocodes a row, and adds the outcome to a score.
  func evaluate(_ fields: [String], line: Int, of index: PlaceIndex, into score: inout Score) {
    func value(_ column: Int?) -> String {
      column.map { fields.indices.contains($0) ? fields[$0].trimmedLine : "" } ?? ""
    }
    do {
      guard fields.count <= columnCount else {
        throw TableError("the row has \(fields.count) fields, but the first row has \(columnCount)")
      }
      guard !value(latitude).isEmpty, !value(longitude).isEmpty else { return score.skip() }
      guard let point = Coordinate(latitude: value(latitude), longitude: value(longitude)) else {
        throw TableError("lat and lon must be degrees, not \(value(latitude)), \(value(longitude))")
      }
      guard query != nil else {
        return evaluateReverse(point, expected: value(name), kind: value(kind), line: line, of: index, into: &score)
      }
      guard let km = Double(value(tolerance)), km.isFinite, km >= 0 else {
        throw TableError("the tolerance must be a number of kilometers, not \"\(value(tolerance))\"")
      }
      guard let limit = Int(value(topK).isEmpty ? "1" : value(topK)), (1...Limits.candidatesMax).contains(limit)
      else { throw TableError("top_k must be a number from 1 to \(Limits.candidatesMax), not \"\(value(topK))\"") }
      var placeQuery = defaults
      placeQuery.limit = limit
      if value(category).contains("autocomplete") { placeQuery.kind = .autocomplete }
      try options.read(fields, into: &placeQuery)
      let places = index.locate(placeQuery)
      let distances = places.prefix(limit).map { $0.coordinate.distanceKm(to: point) }
      let expected = value(name).isEmpty ? point.text : "\(value(name)) (\(point.text))"
      score.add(
        Score.Miss(
          line: line, kind: value(kind), query: placeQuery.text, expected: expected, got: places.first,
          km: distances.first),
        isRight: distances.contains { $0 <= km }, isBestRight: distances.first.map { $0 <= km } ?? false)
    } catch let problem as InvalidOption {
      score.skip("line \(line): \(problem.sentence(problem.option.rawValue))")
    } catch { score.skip("line \(line): \(error)") }
  }

  private func evaluateReverse(
    _ point: Coordinate, expected: String, kind: String, line: Int, of index: PlaceIndex, into score: inout Score
  ) {
    guard !expected.isEmpty else { return score.skip() }
    var placeQuery = defaults
    (placeQuery.text, placeQuery.kind, placeQuery.limit) = (point.text, .reverse, 1)
    let best = index.locate(placeQuery).first
    // The same city may have other names: "Wien" is Vienna.
    let isRight =
      best.map { best in
        best.name.foldedName == expected.foldedName
          || index.locate(PlaceQuery(expected, limit: Limits.candidatesMax)).contains {
            $0.coordinate == best.coordinate
          }
      } ?? false
    score.add(
      Score.Miss(
        line: line, kind: kind.isEmpty ? "reverse" : kind, query: placeQuery.text, expected: expected, got: best,
        km: best.map { $0.coordinate.distanceKm(to: point) }),
      isRight: isRight, isBestRight: isRight)
  }

  /// Geocodes all rows of a file.
  ///
  /// - Parameters:
  ///   - descriptor: File descriptor of the table.
  ///   - defaults: Query options for cells that a row leaves empty.
  /// - Throws: `TableError` if the file cannot be read, or if it lacks a column.
  static func score(descriptor: Int32, defaults: PlaceQuery, _ index: PlaceIndex) throws(TableError) -> Score {
    var reader = TableReader(descriptor: descriptor, format: .csv)
    var table: ScoreTable?
    var score = Score()
    while let chunk = try reader.next() {
      for record in chunk.records where !record.range.isEmpty || record.problem != nil {
        do throws(TableError) {
          if let problem = record.problem { throw problem }
          let fields = try CSVFields(chunk.bytes[record.range])
          if let table {
            table.evaluate(fields.values, line: record.line, of: index, into: &score)
          } else {
            table = try ScoreTable(try TableHeader(fields), defaults: defaults)
          }
        } catch {
          guard table != nil else { throw TableError("line \(record.line): \(error)") }
          score.skip("line \(record.line): \(error)")
        }
      }
    }
    guard table != nil else { throw TableError.empty }
    return score
  }
}

extension String {
  /// The name without case, accents and width, to compare names of a language.
  fileprivate var foldedName: String {
    folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }
}
