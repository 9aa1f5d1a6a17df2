import Domain
import Foundation
import Gazetteer

/// A row of a table of texts: its query, or its fault.
struct BatchRow: Sendable {
  /// The text as in the table. Empty if the row could not be read.
  var text = ""
  /// The row's id in the table. Nil if it has none.
  var id: String?
  var query: Result<PlaceQuery, RowError>

  /// The fault of a row: a code for programs, and a sentence for people.
  struct RowError: Error, Sendable {
    let code: String
    let detail: String
  }
}

/// The columns of a query in the records of a table.
struct BatchTable: Sendable {
  /// The columns. Nil for NDJSON, whose records name their members.
  private let columns: (text: TextColumns, id: Int?, count: Int, options: QueryColumns)?
  /// Query options for cells that a row leaves empty.
  private let defaults: PlaceQuery

  /// Creates the table of NDJSON.
  init(defaults: PlaceQuery) {
    columns = nil
    self.defaults = defaults
  }

  /// Creates the table of CSV from its first record.
  ///
  /// - Throws: `TableError` if there is no column for the text, or if columns contradict each other.
  init(header: ArraySlice<UInt8>, defaults: PlaceQuery) throws(TableError) {
    let header = try TableHeader(try CSVFields(header))
    columns = (
      try TextColumns(header, isReverse: defaults.kind == .reverse), header.column("id"), header.names.count,
      try QueryColumns(header, ignored: [.text])
    )
    self.defaults = defaults
  }

  /// The columns of the text.
  private enum TextColumns {
    case one(Int)
    /// The latitude and longitude of a point.
    case two(Int, Int)

    init(_ header: TableHeader, isReverse: Bool) throws(TableError) {
      if let query = header.column("query") {
        self = .one(query)
      } else if isReverse, let latitude = header.column("lat"), let longitude = header.column("lon") {
        self = .two(latitude, longitude)
      } else {
        throw TableError("missing column query\(isReverse ? ", or lat and lon" : ""); \(header.description)")
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

  /// Returns the query of a record, or its fault.
  func row(_ record: TableChunk.Record, in bytes: [UInt8]) -> BatchRow {
    var row = BatchRow(query: .success(defaults))
    do {
      if let problem = record.problem { throw problem }
      var query = defaults
      if let columns {
        let fields = try CSVFields(bytes[record.range]).values
        guard fields.count <= columns.count else {
          throw TableError("the row has \(fields.count) fields, but the first row has \(columns.count)")
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

/// A line of NDJSON: an object whose members are read as texts. `JSONSerialization` parses the line, because it keeps
/// whole numbers as written. A postcode such as 98101 must not become 98101.0.
struct JSONLine {
  private let members: [String: Any]

  /// Parses a line.
  ///
  /// - Throws: `TableError` if the line is not an object.
  init(_ line: ArraySlice<UInt8>) throws(TableError) {
    guard let members = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else {
      throw TableError("not a JSON object such as {\"query\": \"Oslo\"}")
    }
    self.members = members
  }

  /// The text of a member, or nil for a missing member, null or an object. A number gives its digits, a Boolean value 1
  /// or 0, and an array its elements with commas between them.
  subscript(name: String) -> String? { members[name].flatMap(Self.text) }

  /// The point in `lat` and `lon`: "59.91,10.75". Nil if one is missing.
  var point: String? { self["lat"].flatMap { latitude in self["lon"].map { "\(latitude),\($0)" } } }

  /// Copies the options of the line into a query, but not its text. Other options of the query stay the same.
  ///
  /// - Throws: `InvalidOption` for the first invalid option.
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
    // Boolean values become 1 and 0. Degrees must not contain a power of ten.
    case let number as NSNumber:
      "\(number)".contains("e") ? String(format: "%.10f", number.doubleValue) : "\(number)"
    default: nil
    }
  }
}

extension PlaceQuery {
  /// Checks that a reverse query has a point as its text.
  ///
  /// - Throws: `InvalidOption` if the text is not a point.
  func requirePoint() throws(InvalidOption) {
    guard kind == .reverse, !PlaceIndex.isPoint(text) else { return }
    throw InvalidOption(.text, expected: "a point, LAT,LON in degrees, such as 47.6,-122.3", actual: text)
  }
}
