import Domain
import Foundation

/// The fault of a table or of a row: a sentence for people.
struct TableError: Error, Sendable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }

  static let empty = TableError("the file is empty. Its first row must name the columns")
}

/// Complete records of a table, unparsed, including empty lines. The reader leaves the parsing to the threads that
/// geocode, so that all cores share that work.
struct TableChunk: Sendable {
  /// A row of CSV, or a line of NDJSON.
  struct Record: Sendable {
    /// Range of its bytes, without the line end.
    var range: Range<Int>
    /// Number of its first line, from 1.
    var line: Int
    /// The fault that prevents parsing. Nil for none.
    var problem: TableError?
  }

  var bytes: [UInt8]
  var records: [Record]
  /// Bytes of the input read so far.
  var bytesRead: Int
}

/// Reader that splits the bytes of a file or a pipe into records. Its memory does not grow with the length of the
/// input.
struct TableReader {
  /// The format of the records.
  enum Format: String, Sendable, CaseIterable {
    /// RFC 4180: a line feed within quotes belongs to the field, and an empty line is a row.
    case csv
    /// A JSON object for each line. Empty lines are ignored.
    case ndjson
  }

  private enum State { case fieldStart, plain, quoted, quoteInQuoted, tooLong }

  let format: Format
  private let descriptor: Int32
  private var state = State.fieldStart
  /// Bytes that are read and not yet in a chunk: the start of a record.
  private var pending: [UInt8] = []
  private var scanned = 0
  private var line = 1
  private var recordLine = 1
  private var bytesRead = 0

  init(descriptor: Int32, format: Format) {
    self.descriptor = descriptor
    self.format = format
  }

  /// Returns the next records. Nil at the end. Blocks until at least one record is complete.
  ///
  /// - Throws: `TableError` if the input cannot be read.
  mutating func next() throws(TableError) -> TableChunk? {
    while true {
      let isFirst = bytesRead == 0
      let count = try read()
      // A byte order mark is not part of the first column's name.
      if isFirst, pending.starts(with: [0xEF, 0xBB, 0xBF]) { pending.removeFirst(3) }
      var records: [TableChunk.Record] = []
      var end = cut(into: &records)
      let isEnd = count == 0 && records.isEmpty
      let isOpen = isEnd && state == .quoted && pending[end...].contains(0x0A)
      if isEnd, !isOpen { return last(after: end) }
      var isScanned = true
      if isOpen || pending.count - end > ToolLimits.tableRecordBytesMax {
        end = discardUnterminated(from: end, &records)
        isScanned = false
      }
      // No record is complete yet.
      guard !records.isEmpty else {
        pending.removeSubrange(..<end)
        scanned = pending.count
        continue
      }
      return take(end, records, isScanned: isScanned)
    }
  }

  private mutating func read() throws(TableError) -> Int {
    var result = 0
    // The buffer is not filled with zeros first: that takes longer than the read.
    let fresh = [UInt8](unsafeUninitializedCapacity: ToolLimits.tableChunkBytes) { bytes, count in
      repeat { result = Glibc.read(descriptor, bytes.baseAddress, bytes.count) } while result < 0 && errno == EINTR
      count = max(0, result)
    }
    guard result >= 0 else { throw TableError("read failed: \(String(cString: strerror(errno)))") }
    pending += fresh
    bytesRead += result
    return result
  }

  /// Finds the ends of records in the new bytes.
  ///
  /// - Returns: the index of the end of the last complete record.
  private mutating func cut(into records: inout [TableChunk.Record]) -> Int {
    var start = 0
    let isCSV = format == .csv
    var (state, line, recordLine) = (state, line, recordLine)
    pending.withUnsafeBufferPointer { bytes in
      for index in scanned..<bytes.count {
        let byte = bytes[index]
        if byte == 0x0A {
          line += 1
          if isCSV, state == .quoted { continue }
          add(start..<index, of: bytes, line: recordLine, isTooLong: state == .tooLong, to: &records)
          (start, recordLine, state) = (index + 1, line, .fieldStart)
        } else if isCSV, state != .tooLong {
          switch (byte, state) {
          case (0x22, .fieldStart), (0x22, .quoteInQuoted): state = .quoted
          case (0x22, .quoted): state = .quoteInQuoted
          case (_, .quoted): break
          case (0x2C, _): state = .fieldStart
          default: state = .plain
          }
        }
      }
    }
    (self.state, self.line, self.recordLine) = (state, line, recordLine)
    scanned = pending.count
    return start
  }

  private func add(
    _ range: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>, line: Int, isTooLong: Bool,
    to records: inout [TableChunk.Record]
  ) {
    var range = range
    if let last = range.last, bytes[last] == 0x0D { range = range.lowerBound..<last }
    // A record that is too long is already reported.
    guard !isTooLong, format == .csv || !range.isEmpty else { return }
    let isLong = range.count > ToolLimits.tableRecordBytesMax
    records.append(.init(range: range, line: line, problem: isLong ? tooLong : nil))
  }

  /// Reports a record whose end is not found, mostly because of an unclosed quote. The reader then starts again after
  /// the first line of that record, so that only one row is lost.
  private mutating func discardUnterminated(from start: Int, _ records: inout [TableChunk.Record]) -> Int {
    if state != .tooLong {
      let problem = pending.count - start > ToolLimits.tableRecordBytesMax ? tooLong : Self.openQuote
      records.append(.init(range: start..<start, line: recordLine, problem: problem))
    }
    guard state != .tooLong, let end = pending[start...].firstIndex(of: 0x0A) else {
      state = .tooLong
      pending.removeSubrange(start...)
      scanned = start
      return start
    }
    (state, line, recordLine) = (.fieldStart, recordLine + 1, recordLine + 1)
    return end + 1
  }

  /// Returns the record after the last line end. Nil if there is none.
  private mutating func last(after start: Int) -> TableChunk? {
    var records: [TableChunk.Record] = []
    if state != .tooLong {
      pending.withUnsafeBufferPointer {
        if start < $0.count { add(start..<$0.count, of: $0, line: recordLine, isTooLong: false, to: &records) }
      }
      if state == .quoted, !records.isEmpty { records[0].problem = Self.openQuote }
    }
    state = .fieldStart
    return records.isEmpty ? nil : take(pending.count, records, isScanned: true)
  }

  private mutating func take(_ end: Int, _ records: [TableChunk.Record], isScanned: Bool) -> TableChunk {
    let rest = Array(pending[end...])
    pending.removeSubrange(end...)
    let chunk = TableChunk(bytes: pending, records: records, bytesRead: bytesRead)
    pending = rest
    scanned = isScanned ? rest.count : 0
    return chunk
  }

  private static let openQuote = TableError("unclosed quote")
  private var tooLong: TableError {
    let hint = format == .csv ? " (unclosed quote?)" : ""
    return TableError("the row is longer than \(ToolLimits.tableRecordBytesMax) bytes\(hint)")
  }
}
