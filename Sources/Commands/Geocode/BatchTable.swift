import Domain
import Foundation
import Gazetteer

/// One row of a table of texts: what it asks, or what is wrong with it.
struct BatchRow: Sendable {
  /// The text as it stands there; empty where the row could not be read.
  var text = ""
  /// What the table itself calls the row; nil where it does not.
  var id: String?
  var query: Result<PlaceQuery, RowError>

  /// What is wrong with a row: a word for machines, and a sentence for people.
  struct RowError: Error, Sendable {
    let code: String
    let detail: String
  }
}

/// Where the parts of a question stand in a record of a table.
struct BatchTable: Sendable {
  /// Nil where each record names its own: NDJSON.
  private let columns: (text: TextColumns, id: Int?, count: Int, options: QueryColumns)?
  /// What is asked for where a row says nothing.
  private let defaults: PlaceQuery

  /// NDJSON.
  init(defaults: PlaceQuery) {
    columns = nil
    self.defaults = defaults
  }

  /// CSV with this first record.
  ///
  /// - Throws: `TableError` when there is no column for the text, or the columns contradict each other.
  init(header: ArraySlice<UInt8>, defaults: PlaceQuery) throws(TableError) {
    let header = try TableHeader(try CSVFields(header))
    columns = (
      try TextColumns(header, isReverse: defaults.kind == .reverse), header.column("id"), header.names.count,
      try QueryColumns(header, ignored: [.text])
    )
    self.defaults = defaults
  }

  /// Where the text itself stands.
  private enum TextColumns {
    case one(Int)
    /// Of a point.
    case two(Int, Int)

    init(_ header: TableHeader, isReverse: Bool) throws(TableError) {
      if let query = header.column("query") {
        self = .one(query)
      } else if isReverse, let latitude = header.column("lat"), let longitude = header.column("lon") {
        self = .two(latitude, longitude)
      } else {
        throw TableError("query\(isReverse ? ", or lat and lon," : "") must be a column; \(header.description)")
      }
    }

    func text(_ fields: [String]) -> String {
      func value(_ column: Int) -> String { fields.indices.contains(column) ? fields[column] : "" }
      return switch self {
      case .one(let column): value(column)
      case .two(let latitude, let longitude): "\(value(latitude)),\(value(longitude))"
      }
    }
  }

  /// What a record asks.
  func row(_ record: TableChunk.Record, in bytes: [UInt8]) -> BatchRow {
    var row = BatchRow(query: .success(defaults))
    do {
      if let problem = record.problem { throw problem }
      var query = defaults
      if let columns {
        let fields = try CSVFields(bytes[record.range]).values
        guard fields.count <= columns.count else {
          throw TableError("\(fields.count) fields, where the first row has \(columns.count)")
        }
        row.text = columns.text.text(fields)
        row.id = columns.id.flatMap { fields.indices.contains($0) ? fields[$0] : nil }
        try query.set(.text, to: row.text)
        try columns.options.read(fields, into: &query)
      } else {
        let object = try JSONLine(bytes[record.range])
        row.text = object["query"] ?? (query.kind == .reverse ? object.point : nil) ?? ""
        row.id = object["id"]
        try query.set(.text, to: row.text)
        try object.read(into: &query)
      }
      try query.requirePoint()
      row.query = .success(query)
    } catch let invalid as InvalidOption {
      let name = invalid.option.rawValue
      row.query = .failure(
        .init(code: "invalid_\(name)", detail: "line \(record.line): \(invalid.sentence(name))"))
    } catch {
      row.query = .failure(.init(code: "malformed_row", detail: "line \(record.line): \(error)"))
    }
    return row
  }
}

/// A line of NDJSON: an object, whose members are read as texts. `JSONSerialization` reads it, because that keeps a
/// whole number as it is written: a postcode such as 98101 must not become 98101.0.
struct JSONLine {
  private let members: [String: Any]

  /// - Throws: `TableError` when it is no object.
  init(_ line: ArraySlice<UInt8>) throws(TableError) {
    guard let members = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else {
      throw TableError("no JSON object, such as {\"query\": \"Oslo\"}")
    }
    self.members = members
  }

  /// A member's text: of a number its digits, of a truth value 1 or 0, of an array its elements with commas between
  /// them. Nil where it is not there, null or an object.
  subscript(name: String) -> String? { members[name].flatMap(Self.text) }

  /// "59.91,10.75", of `lat` and `lon`.
  var point: String? { self["lat"].flatMap { latitude in self["lon"].map { "\(latitude),\($0)" } } }

  /// Takes what it has of a question but for its text; the rest stays as it is.
  ///
  /// - Throws: the first part that is wrong.
  func read(into query: inout PlaceQuery) throws(InvalidOption) {
    for option in PlaceQuery.Option.allCases where option != .text {
      try query.set(option, to: self[option.rawValue] ?? "")
    }
    let (latitude, longitude) = (self["focus_lat"] ?? "", self["focus_lon"] ?? "")
    guard !latitude.isEmpty || !longitude.isEmpty else { return }
    try query.set(.focus, to: "\(latitude),\(longitude)")
  }

  private static func text(_ value: Any) -> String? {
    switch value {
    case let text as String: text
    case let values as [Any]: values.compactMap(text).joined(separator: ",")
    // Truth values too: 1 and 0. Degrees are never written in powers of ten.
    case let number as NSNumber:
      "\(number)".contains("e") ? String(format: "%.10f", number.doubleValue) : "\(number)"
    default: nil
    }
  }
}

extension PlaceQuery {
  /// Throws where a reverse look-up is asked for something else than a point.
  func requirePoint() throws(InvalidOption) {
    guard kind == .reverse, !PlaceIndex.isPoint(text) else { return }
    throw InvalidOption(.text, expected: "a point, LAT,LON in degrees, such as 47.6,-122.3", actual: text)
  }
}
