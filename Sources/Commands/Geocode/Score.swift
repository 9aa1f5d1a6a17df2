import Domain
import Foundation
import Gazetteer

/// How right a gazetteer is about texts whose places are known.
struct Score: Sendable {
  /// So many rows, and how many of them were answered rightly.
  struct Count: Sendable {
    var rows = 0
    var right = 0

    var share: Double { rows == 0 ? 0 : Double(right) / Double(rows) }

    mutating func add(_ isRight: Bool) {
      rows += 1
      if isRight { right += 1 }
    }
  }

  /// A row that was not answered rightly.
  struct Miss: Sendable {
    var line: Int
    var kind: String
    var query: String
    /// Where the place is, or what it is called.
    var expected: String
    /// The best answer; nil where there was none.
    var got: Place?
    /// From the place to the best answer; nil where one is not known.
    var km: Double?
  }

  /// How many answers are asked to be so confident that they may be used unseen.
  static let confident = 0.9

  private(set) var all = Count()
  private(set) var kinds: [String: Count] = [:]
  /// Of the best answers, by the tenth that their confidence lies in; the last has 1 too.
  private(set) var tenths = [Count](repeating: Count(), count: 10)
  /// Of the best answers with at least `confident`.
  private(set) var confidentAnswers = Count()
  private(set) var misses: [Miss] = []
  /// Rows that name no place to compare with.
  private(set) var withoutPlace = 0
  /// Rows that were not understood.
  private(set) var problems: [String] = []

  /// - Parameters:
  ///   - isRight: whether the answers are right by the row's own rule.
  ///   - isBestRight: whether the best one is.
  mutating func add(_ miss: Miss, isRight: Bool, isBestRight: Bool) {
    all.add(isRight)
    kinds[miss.kind, default: Count()].add(isRight)
    if !isRight { misses.append(miss) }
    guard let confidence = miss.got?.confidence else { return }
    tenths[min(max(Int(confidence * 10), 0), 9)].add(isBestRight)
    if confidence >= Self.confident { confidentAnswers.add(isBestRight) }
  }

  mutating func skip() { withoutPlace += 1 }
  mutating func skip(_ problem: String) { problems.append(problem) }
}

/// A table of texts and their places, and the columns that say which are which.
struct ScoreTable: Sendable {
  private let options: QueryColumns
  private let query: Int?
  private let latitude: Int
  private let longitude: Int
  private let tolerance: Int?
  private let kind: Int?
  private let category: Int?
  private let count: Int?
  /// Expected names: of the place around a point, or for people who read the misses.
  private let name: Int?
  private let columns: Int
  /// What is asked for where a row says nothing.
  private let defaults: PlaceQuery

  /// - Throws: `TableError` when a column is missing, or columns contradict each other.
  init(_ header: TableHeader, defaults: PlaceQuery) throws(TableError) {
    // A column "level" says here what the place is, not what is wanted; and how many answers count says top_k.
    options = try QueryColumns(header, ignored: [.level, .limit, .prefix])
    query = header.column("query")
    name = header.column("expected_city", "expected_name")
    tolerance = header.column("tolerance_km", "tol_km")
    (kind, category) = (header.column("kind", "category", "edit"), header.column("category"))
    count = header.column("top_k")
    columns = header.names.count
    self.defaults = defaults
    guard let latitude = header.column("lat"), let longitude = header.column("lon") else {
      throw TableError("lat and lon must be columns; \(header.description)")
    }
    (self.latitude, self.longitude) = (latitude, longitude)
    guard query == nil || tolerance != nil else {
      throw TableError("tolerance_km or tol_km must be a column; \(header.description)")
    }
    guard query != nil || header.column("expected_city") != nil else {
      throw TableError("query must be a column, or for reverse look-ups expected_city; \(header.description)")
    }
  }

  /// Asks one row's question, and adds how it went.
  func ask(_ fields: [String], line: Int, of index: PlaceIndex, into score: inout Score) {
    func value(_ column: Int?) -> String {
      column.map { fields.indices.contains($0) ? fields[$0].trimmedLine : "" } ?? ""
    }
    do {
      guard fields.count <= columns else {
        throw TableError("\(fields.count) fields, where the first row has \(columns)")
      }
      guard !value(latitude).isEmpty, !value(longitude).isEmpty else { return score.skip() }
      guard let point = Coordinate(latitude: value(latitude), longitude: value(longitude)) else {
        throw TableError("lat and lon must be degrees, not \(value(latitude)), \(value(longitude))")
      }
      guard query != nil else {
        return askReverse(point, expected: value(name), kind: value(kind), line: line, of: index, into: &score)
      }
      guard let km = Double(value(tolerance)), km.isFinite, km >= 0 else {
        throw TableError("the tolerance must be a number of km, not \"\(value(tolerance))\"")
      }
      guard let limit = Int(value(count).isEmpty ? "1" : value(count)), (1...Limits.candidatesMax).contains(limit)
      else { throw TableError("top_k must be a number from 1 to \(Limits.candidatesMax), not \"\(value(count))\"") }
      var question = defaults
      question.limit = limit
      if value(category).contains("autocomplete") { question.kind = .prefix }
      try options.read(fields, into: &question)
      let places = index.locate(question)
      let distances = places.prefix(limit).map { $0.coordinate.distanceKm(to: point) }
      let expected = value(name).isEmpty ? point.text : "\(value(name)) (\(point.text))"
      score.add(
        Score.Miss(
          line: line, kind: value(kind), query: question.text, expected: expected, got: places.first,
          km: distances.first),
        isRight: distances.contains { $0 <= km }, isBestRight: distances.first.map { $0 <= km } ?? false)
    } catch let problem as InvalidOption {
      score.skip("line \(line): \(problem.sentence(problem.option.rawValue))")
    } catch { score.skip("line \(line): \(error)") }
  }

  private func askReverse(
    _ point: Coordinate, expected: String, kind: String, line: Int, of index: PlaceIndex, into score: inout Score
  ) {
    guard !expected.isEmpty else { return score.skip() }
    var question = defaults
    (question.text, question.kind, question.limit) = (point.text, .reverse, 1)
    let best = index.locate(question).first
    // The same town by another of its names: "Wien" is Vienna.
    let isRight =
      best.map { best in
        best.name.foldedName == expected.foldedName
          || index.locate(PlaceQuery(expected, limit: Limits.candidatesMax)).contains {
            $0.coordinate == best.coordinate
          }
      } ?? false
    score.add(
      Score.Miss(
        line: line, kind: kind.isEmpty ? "reverse" : kind, query: question.text, expected: expected, got: best,
        km: best.map { $0.coordinate.distanceKm(to: point) }),
      isRight: isRight, isBestRight: isRight)
  }

  /// Asks all questions of a file.
  ///
  /// - Parameter defaults: what is asked for where a row says nothing.
  /// - Throws: `TableError` when the file cannot be read, or has not the columns.
  static func score(descriptor: Int32, defaults: PlaceQuery, _ index: PlaceIndex) throws(TableError) -> Score {
    var reader = TableReader(descriptor: descriptor, form: .csv)
    var table: ScoreTable?
    var score = Score()
    while let chunk = try reader.next() {
      for record in chunk.records where !record.range.isEmpty || record.problem != nil {
        do throws(TableError) {
          if let problem = record.problem { throw problem }
          let fields = try CSVFields(chunk.bytes[record.range])
          if let table {
            table.ask(fields.values, line: record.line, of: index, into: &score)
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
  /// For comparing names of one language: no case, no accents, no width.
  fileprivate var foldedName: String {
    folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }
}
