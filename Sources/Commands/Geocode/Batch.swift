import Dispatch
import Domain
import Foundation
import Gazetteer
import Synchronization

/// Geocoder of a table of texts, on all cores. A free thread reads the next chunk, geocodes it, and writes its places
/// in the input's order. At most one chunk for each thread is in memory.
final class Batch: Sendable {
  private struct Input: Sendable {
    var reader: TableReader
    var table: BatchTable?
    /// Signalled when all earlier chunks are written.
    var turn = DispatchSemaphore(value: 0)
    var problem: TableError?
    var isOver = false
  }

  /// A chunk, with the semaphores of its turn and of the next one.
  private struct Work {
    var chunk: TableChunk
    var table: BatchTable
    var turn: DispatchSemaphore
    var next: DispatchSemaphore
  }

  private let index: PlaceIndex
  private let defaults: PlaceQuery
  private let input: Mutex<Input>
  private let tally: Mutex<BatchProgress>

  /// Creates a batch.
  ///
  /// - Parameters:
  ///   - descriptor: File descriptor of the table, which the batch does not close.
  ///   - format: Format of the table.
  ///   - defaults: Query options for cells that a row leaves empty.
  init(descriptor: Int32, format: TableReader.Format, defaults: PlaceQuery, _ index: PlaceIndex) {
    self.index = index
    self.defaults = defaults
    input = Mutex(Input(reader: TableReader(descriptor: descriptor, format: format)))
    tally = Mutex(BatchProgress(descriptor: descriptor))
  }

  /// Writes the places of all rows to standard output. Blocks the calling thread.
  ///
  /// - Throws: `TableError` if the table cannot be read or the output cannot be written.
  func run() throws(TableError) -> BatchProgress {
    input.withLock { _ = $0.turn.signal() }
    DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { _ in
      while let work = nextChunk() { geocode(work) }
    }
    tally.withLock { $0.clear() }
    if let problem = input.withLock({ $0.problem }) { throw problem }
    return tally.withLock { $0 }
  }

  /// Returns the next chunk. Nil at the end and after an error.
  private func nextChunk() -> Work? {
    input.withLock { input in
      guard !input.isOver else { return nil }
      do throws(TableError) {
        guard var chunk = try input.reader.next() else {
          // An empty NDJSON file is a table without rows. CSV needs a header.
          if input.reader.format == .csv, input.table == nil { throw TableError.empty }
          input.isOver = true
          return nil
        }
        let table = try table(for: &chunk, input.table, format: input.reader.format)
        input.table = table
        let work = Work(chunk: chunk, table: table, turn: input.turn, next: DispatchSemaphore(value: 0))
        input.turn = work.next
        return work
      } catch {
        (input.problem, input.isOver) = (error, true)
        return nil
      }
    }
  }

  /// Returns the table's columns, which the first record of CSV names.
  private func table(
    for chunk: inout TableChunk, _ known: BatchTable?, format: TableReader.Format
  ) throws(TableError) -> BatchTable {
    if let known { return known }
    guard format == .csv else { return BatchTable(defaults: defaults) }
    // Skip empty lines before the header: they are not rows.
    chunk.records = Array(chunk.records.drop { $0.range.isEmpty && $0.problem == nil })
    guard !chunk.records.isEmpty else { throw TableError.empty }
    let header = chunk.records.removeFirst()
    if let problem = header.problem { throw TableError("line \(header.line): \(problem)") }
    return try BatchTable(header: chunk.bytes[header.range], defaults: defaults)
  }

  private func geocode(_ work: Work) {
    var json = JSONWriter()
    var counts = BatchProgress.Counts()
    for record in work.chunk.records {
      let row = work.table.row(record, in: work.chunk.bytes)
      switch row.query {
      case .success(let query):
        let places = index.locate(query)
        counts.add(isFound: !places.isEmpty)
        json.line { json in
          if let id = row.id { json.add("id", id) }
          json.add("query", query.text)
          json.array("places", places) { $1.write(to: &$0) }
        }
      case .failure(let error):
        counts.invalid += 1
        json.line { json in
          if let id = row.id { json.add("id", id) }
          json.add("query", row.text)
          json.object("error") { json in
            json.add("code", error.code)
            json.add("detail", error.detail)
          }
        }
      }
    }
    work.turn.wait()
    let isWritten = writeAll(json.bytes, on: STDOUT_FILENO)
    tally.withLock { $0.add(counts, bytesRead: work.chunk.bytesRead) }
    if !isWritten { stop(TableError("cannot write the output: \(String(cString: strerror(errno)))")) }
    work.next.signal()
  }

  private func stop(_ problem: TableError) {
    input.withLock { input in
      if input.problem == nil { input.problem = problem }
      input.isOver = true
    }
  }
}
