import Domain

/// The fields of one record of RFC 4180.
struct CSVFields {
  let values: [String]

  /// - Throws: `TableError` where quotes stand wrong, or what is not UTF-8.
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

  /// What stands between quotes, two of which are one, and where the field ends.
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
      guard record[index] == quote else { throw TableError("something follows a closing quote") }
      field.append(quote)
      index += 1
    }
    throw TableError("a quote is never closed")
  }

  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")
}
