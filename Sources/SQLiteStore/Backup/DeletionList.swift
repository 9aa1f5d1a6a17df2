import Domain
import Foundation
import GRDB
import Glibc
import Logging
import Store
import Synchronization

/// List of deleted accounts and posts, in a file beside the database. Only a restore reads all of it, so that data that
/// people have deleted since the backup stay deleted.
///
/// The writer appends the deletions of a group before the group's commit, so that each durable deletion is on the list.
/// The next start removes the last group if its commit failed. Use the list only within a write.
final class DeletionList: Sendable {
  /// Name of the file in the data folder, after a slash.
  static let name = "/onthemap.deletions"

  private struct State: Sendable {
    /// Length of the file without a running group, in bytes.
    var length: Int
    /// Deletions of the running transaction.
    var pending: [DeletionRecord] = []
    /// True if the file has the deletions of the running transaction.
    var isFlushed = false
  }

  private let descriptor: Int32
  private let state: Mutex<State>

  /// Opens or creates the list, and removes a last group that is not in the database. Durable on return.
  ///
  /// - Parameters:
  ///   - unixMs: Current time, from which a new list is complete.
  ///   - db: The database of the list.
  /// - Throws: `DeletionListDamage` if the file is not such a list. `SystemError`, and errors of SQLite.
  init(path: String, unixMs: Int64, keeping max: Int = Limits.deletionsKeptMax, _ db: Database) throws {
    state = Mutex(State(length: 0))
    if PlainFile.status(path) == nil { try PlainFile.write(DeletionRecord.header(beginMs: unixMs), to: path) }
    try DeletionList.shorten(path, keeping: max)
    descriptor = Glibc.open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    // `deinit` closes the descriptor after an error.
    guard descriptor >= 0 else { throw SystemError() }
    let size = try DeletionList.size(descriptor)
    let group = try DeletionList.lastGroup(descriptor, size: size)
    // A damaged record belongs to this group or to a further one, whose commit cannot have begun.
    let records = group.records.prefix { $0 != nil }.compactMap(\.self)
    let isCommitted = try records.allSatisfy { try $0.isDone(db) }
    let length = group.start + (isCommitted ? records.count * DeletionRecord.length : 0)
    state.withLock { $0.length = length }
    if length < size, ftruncate(descriptor, off_t(length)) != 0 || fsync(descriptor) != 0 { throw SystemError() }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Opens the list of a database, or creates it. A damaged list gets another name, and a new one begins.
  ///
  /// - Throws: `StoreError.unusable`, or errors of SQLite.
  static func open(_ path: String, _ db: Database, logger: Logger) throws -> DeletionList {
    let unixMs = Int64(Date().timeIntervalSince1970 * 1_000)
    do {
      do { return try DeletionList(path: path, unixMs: unixMs, db) } catch is DeletionListDamage {
        guard rename(path, path + ".damaged") == 0 else { throw SystemError() }
        logger.warning(
          "list of deletions damaged: a restore would bring deleted data back",
          metadata: ["renamed_to": "\(path).damaged"])
        return try DeletionList(path: path, unixMs: unixMs, db)
      }
    } catch let error as SystemError {
      throw StoreError.unusable(path: path, reason: error.description)
    }
  }

  /// Records a deletion of the running transaction.
  func record(_ deletion: DeletionRecord.Deletion, unixMs: Int64) {
    state.withLock { $0.pending.append(DeletionRecord(deletion, unixMs: unixMs, isFirst: $0.pending.isEmpty)) }
  }

  /// Appends the deletions of the running transaction, before its commit. Durable on return.
  ///
  /// - Throws: `DatabaseError`, as SQLite would for the same failure of the disk.
  func flush() throws(DatabaseError) {
    let failure: Int32? = state.withLock { state in
      guard !state.pending.isEmpty else { return nil }
      let bytes = state.pending.flatMap(\.bytes)
      state.isFlushed = true
      let written = pwrite(descriptor, bytes, bytes.count, off_t(state.length))
      guard written >= 0 else { return errno }
      // Only a full disk shortens a write.
      guard written == bytes.count else { return ENOSPC }
      return fdatasync(descriptor) == 0 ? nil : errno
    }
    guard let failure else { return }
    let isFull = failure == ENOSPC || failure == EDQUOT
    throw DatabaseError(
      resultCode: isFull ? .SQLITE_FULL : .SQLITE_IOERR, message: "onthemap.deletions: \(SystemError(failure))")
  }

  /// Confirms the deletions of a durable transaction.
  func confirm() {
    state.withLock { state in
      if state.isFlushed { state.length += state.pending.count * DeletionRecord.length }
      (state.pending, state.isFlushed) = ([], false)
    }
  }

  /// Removes the deletions of a transaction that failed.
  ///
  /// - Parameter isUnknown: True if the transaction may be durable. The next start then decides.
  func discard(isUnknown: Bool) {
    state.withLock { state in
      // Without the truncation, the next group overwrites the bytes, and the next start removes the rest.
      if state.isFlushed, !isUnknown { _ = ftruncate(descriptor, off_t(state.length)) }
      (state.pending, state.isFlushed) = ([], false)
    }
  }

  private static func size(_ descriptor: Int32) throws(SystemError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError() }
    return Int(status.st_size)
  }

  /// Returns the records from the start of the last group. A record is nil if a power loss has damaged it.
  private static func lastGroup(
    _ descriptor: Int32, size: Int
  ) throws -> (start: Int, records: [DeletionRecord?]) {
    let header = DeletionRecord.headerLength
    guard size >= header, DeletionRecord.beginMs(try read(descriptor, 0..<header)) != nil else {
      throw DeletionListDamage()
    }
    let end = header + (size - header) / DeletionRecord.length * DeletionRecord.length
    var start = end
    while start > header {
      start = max(header, start - Limits.deletionsReadTogether * DeletionRecord.length)
      let records = DeletionRecord.records(try read(descriptor, start..<end))
      if let first = records.lastIndex(where: { $0?.isFirst == true }) {
        return (start + first * DeletionRecord.length, Array(records[first...]))
      }
    }
    return (start, DeletionRecord.records(try read(descriptor, start..<end)))
  }

  private static func read(_ descriptor: Int32, _ range: Range<Int>) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    guard pread(descriptor, &bytes, bytes.count, off_t(range.lowerBound)) == bytes.count else { throw SystemError() }
    return bytes
  }

  /// Removes the oldest deletions of a list with more than `max`.
  private static func shorten(_ path: String, keeping max: Int) throws {
    guard let size = PlainFile.status(path)?.st_size,
      Int(size) >= DeletionRecord.headerLength + (max + 1) * DeletionRecord.length
    else { return }
    let contents = try DeletionListContents(path)
    let (dropped, kept) = (contents.records.dropLast(max), contents.records.suffix(max))
    // From the time after the newest removed deletion, the list is complete.
    let beginMs = Swift.max(contents.beginMs, (dropped.map(\.unixMs).max() ?? 0) + 1)
    try PlainFile.write(DeletionRecord.header(beginMs: beginMs) + kept.flatMap(\.bytes), to: path)
  }
}

/// A file that is not a list of deletions, or whose beginning is damaged.
struct DeletionListDamage: Error {}

/// All deletions of a list.
struct DeletionListContents: Sendable {
  /// Time from which the list is complete, in milliseconds since 1970, UTC.
  let beginMs: Int64
  /// The deletions, oldest first, without damaged ones.
  let records: [DeletionRecord]
  /// Number of damaged records before the last group. A power loss damages only the last group, whose commit has not
  /// begun.
  let damaged: Int

  /// Reads a list.
  ///
  /// - Throws: `SystemError`, or `DeletionListDamage`.
  init(_ path: String) throws {
    let bytes = try PlainFile.read(path, bytesMax: Int(PlainFile.status(path)?.st_size ?? 0))
    guard let beginMs = DeletionRecord.beginMs(Array(bytes.prefix(DeletionRecord.headerLength))) else {
      throw DeletionListDamage()
    }
    let all = DeletionRecord.records(Array(bytes.dropFirst(DeletionRecord.headerLength)))
    records = all.compactMap(\.self)
    let earlier = all[..<(all.lastIndex { $0?.isFirst == true } ?? all.startIndex)]
    damaged = earlier.count { $0 == nil }
    guard let lastDamaged = earlier.lastIndex(where: { $0 == nil }),
      let next = all[lastDamaged...].firstIndex(where: { $0 != nil })
    else {
      self.beginMs = beginMs
      return
    }
    // A damaged deletion is no later than the next one. The clock may have changed between deletions.
    self.beginMs = max(beginMs, (all[...next].compactMap { $0?.unixMs }.max() ?? 0) + 1)
  }
}
