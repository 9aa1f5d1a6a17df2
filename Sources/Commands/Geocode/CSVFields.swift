import Domain

/// The fields of a record of RFC 4180.
struct CSVFields {
  let values: [String]

  /// Parses a record.
  ///
  /// - Throws: `TableError` for a misplaced quote, or if a field is not UTF-8.
  init(_ record: ArraySlice<UInt8>) throws(TableError) {
    var values: [String] = []
    var index = record.startIndex
    while true {
      let field: ArraySlice<UInt8>
      if index < record.endIndex, record[index] == Self.quote {
        let quoted = try Self.quoted(record, from: index + 1)
        (field, index) = (quoted.field[...], quoted.end)
      } else {
        let end = record[index...].firstIndex(of: Self.comma) ?? record.endIndex
        (field, index) = (record[index..<end], end)
      }
      guard let value = String(validating: field, as: UTF8.self) else {
        throw TableError("field \(values.count + 1) is not UTF-8")
      }
      values.append(value)
      guard index < record.endIndex else { break }
      index += 1
    }
    self.values = values
  }

  /// Returns a quoted field, in which two quotes stand for a quote, and the index of its end.
  private static func quoted(
    _ record: ArraySlice<UInt8>, from start: Int
  ) throws(TableError) -> (field: [UInt8], end: Int) {
    var field: [UInt8] = []
    var index = start
    while let end = record[index...].firstIndex(of: quote) {
      field += record[index..<end]
      index = end + 1
      guard index < record.endIndex else { return (field, index) }
      if record[index] == comma { return (field, index) }
      guard record[index] == quote else { throw TableError("unexpected text after a closing quote") }
      field.append(quote)
      index += 1
    }
    throw TableError("unclosed quote")
  }

  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")
}
