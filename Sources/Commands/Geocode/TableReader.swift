import Domain
import Foundation

/// What is wrong with a table as a whole, or with one of its rows: a sentence for people.
struct TableError: Error, Sendable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }

  static let empty = TableError("the file is empty; its first row must name the columns")
}

/// Whole records of a table, as they were read, empty lines among them. They are looked into elsewhere, so that all
/// cores share that work.
struct TableChunk: Sendable {
  /// One row, or one line of JSON.
  struct Record: Sendable {
    /// Its bytes, without the line's end.
    var range: Range<Int>
    /// The line on which it begins, from 1.
    var line: Int
    /// Why it cannot be looked into.
    var problem: TableError?
  }

  var bytes: [UInt8]
  var records: [Record]
  /// Bytes of the input so far.
  var bytesRead: Int
}

/// Cuts what a file or a pipe gives into records: memory stays the same however long it is.
struct TableReader {
  /// How records end.
  enum Format: String, Sendable, CaseIterable {
    /// RFC 4180: a line feed within quotes belongs to the field, and an empty line is a row.
    case csv
    /// One JSON object a line; empty lines are none.
    case ndjson
  }

  private enum State { case fieldStart, plain, quoted, quoteInQuoted, tooLong }

  let form: Format
  private let descriptor: Int32
  private var state = State.fieldStart
  /// What is read and not yet in a chunk: the beginning of a record.
  private var pending: [UInt8] = []
  private var scanned = 0
  private var line = 1
  private var recordLine = 1
  private var bytesRead = 0

  init(descriptor: Int32, form: Format) {
    self.descriptor = descriptor
    self.form = form
  }

  /// The next records, as soon as there is one; nil at the end. Waits for input.
  ///
  /// - Throws: `TableError` when it cannot be read.
  mutating func next() throws(TableError) -> TableChunk? {
    while true {
      let isFirst = bytesRead == 0
      let count = try read()
      // A byte order mark is no part of the first column's name.
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
      // The rest of a row that has had its complaint.
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
    // Not filled with zeros first: that takes longer than reading.
    let fresh = [UInt8](unsafeUninitializedCapacity: ToolLimits.tableChunkBytes) { bytes, count in
      repeat { result = Glibc.read(descriptor, bytes.baseAddress, bytes.count) } while result < 0 && errno == EINTR
      count = max(0, result)
    }
    guard result >= 0 else { throw TableError("cannot be read: \(String(cString: strerror(errno)))") }
    pending += fresh
    bytesRead += result
    return result
  }

  /// Finds the ends of records in what is new.
  ///
  /// - Returns: where the last whole one ends.
  private mutating func cut(into records: inout [TableChunk.Record]) -> Int {
    var start = 0
    let isCSV = form == .csv
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
    // Its complaint has been given where it became too long.
    guard !isTooLong, form == .csv || !range.isEmpty else { return }
    let isLong = range.count > ToolLimits.tableRecordBytesMax
    records.append(.init(range: range, line: line, problem: isLong ? tooLong : nil))
  }

  /// A record without an end in sight, mostly because a quote is never closed. What follows its first line is read
  /// anew, so that it costs one row.
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

  /// What stands behind the last line's end.
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

  private static let openQuote = TableError("a quote is never closed")
  private var tooLong: TableError {
    let hint = form == .csv ? " (is a quote never closed?)" : ""
    return TableError("the row is longer than \(ToolLimits.tableRecordBytesMax) bytes\(hint)")
  }
}
