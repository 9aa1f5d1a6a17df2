import Domain
import Glibc
import Store
import Synchronization

/// High-water mark of the database's numbers, in a file beside the database. SQLite itself does not notice a missing or
/// damaged write-ahead log (WAL). It would continue from an earlier state, as if ingest had accepted nothing since.
///
/// The writer updates the file after each durable commit, without a sync. The file's numbers are always durable in the
/// database, but after a power loss the file may be behind. Use the mark only within a write.
final class HighWater: Sendable {
  /// Numbers that only rise.
  struct Mark: Sendable, Equatable {
    var generation: UInt32 = 0
    var account: Int64 = 0
    var post: UInt64 = 0
    var seq: UInt64 = 0

    /// Returns true if no number is below the other mark's.
    func isAtLeast(_ other: Mark) -> Bool {
      generation >= other.generation && account >= other.account && post >= other.post && seq >= other.seq
    }

    /// Returns the higher number of each kind.
    func raised(to other: Mark) -> Mark {
      Mark(
        generation: max(generation, other.generation), account: max(account, other.account),
        post: max(post, other.post),
        seq: max(seq, other.seq))
    }
  }

  /// Contents of the file.
  struct Record: Equatable {
    let epoch: Epoch
    let mark: Mark

    /// File format: "OTMHIGH1", the epoch, the numbers, and a hash over all preceding bytes.
    var bytes: [UInt8] {
      var bytes = Array("OTMHIGH1".utf8) + epoch.bytes
      for number in [UInt64(mark.generation), UInt64(bitPattern: mark.account), mark.post, mark.seq] {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
      }
      let sum = FNV1a.hash(bytes)
      withUnsafeBytes(of: sum.littleEndian) { bytes += $0 }
      return bytes
    }

    static let length = 8 + 16 + 4 * 8 + 8

    init(epoch: Epoch, mark: Mark) {
      self.epoch = epoch
      self.mark = mark
    }

    /// Decodes a record. Nil for another format, length or hash.
    init?(_ bytes: [UInt8]) {
      func number(_ offset: Int) -> UInt64 { bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
      guard bytes.count == Record.length, bytes.starts(with: Array("OTMHIGH1".utf8)),
        number(Record.length - 8) == FNV1a.hash(bytes.dropLast(8)), let epoch = Epoch(bytes[8..<24]),
        let generation = UInt32(exactly: number(24))
      else { return nil }
      self.epoch = epoch
      mark = Mark(generation: generation, account: Int64(bitPattern: number(32)), post: number(40), seq: number(48))
    }
  }

  private struct State: Sendable {
    /// Mark of the latest durable commit.
    var durable: Mark
    /// Mark that includes the running transaction.
    var pending: Mark
  }

  private let descriptor: Int32
  private let epoch: Epoch
  private let state: Mutex<State>

  /// Opens or creates the file, and writes the record. Durable on return.
  init(path: String, _ record: Record) throws(StoreError) {
    // Write under another name first, so that a full disk or a crash cannot leave half a file.
    let new = path + ".new"
    // This removes the file of a killed ingest, and a link that another user of the folder has planted. If such a link
    // appears between the two calls, `open` fails.
    unlink(new)
    descriptor = open(new, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0o600)
    epoch = record.epoch
    state = Mutex(State(durable: record.mark, pending: record.mark))
    let bytes = record.bytes
    guard descriptor >= 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, fsync(descriptor) == 0,
      rename(new, path) == 0, HighWater.syncFolder(of: path)
    else {
      throw .unusable(path: path, reason: String(cString: strerror(errno)))
    }
  }

  /// Syncs the folder, so that the file's name is durable. Returns true on success.
  static func syncFolder(of path: String) -> Bool {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    let folder = open(end == path.startIndex ? "." : String(path[..<end]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return false }
    defer { close(folder) }
    return fsync(folder) == 0
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Records numbers that the running transaction has used.
  func record(account: Int64 = 0, post: UInt64 = 0, seq: UInt64 = 0) {
    let mark = Mark(account: account, post: post, seq: seq)
    state.withLock { $0.pending = $0.pending.raised(to: mark) }
  }

  /// Writes the mark after the transaction's durable commit.
  func persist() {
    let mark: Mark? = state.withLock { state in
      guard state.durable != state.pending else { return nil }
      state.durable = state.pending
      return state.durable
    }
    guard let mark else { return }
    let bytes = Record(epoch: epoch, mark: mark).bytes
    // After a failure the file stays behind the database, and detects fewer regressions. That must not fail a durable
    // commit.
    _ = pwrite(descriptor, bytes, bytes.count, 0)
  }

  /// Discards the numbers of a transaction that is rolled back.
  func discard() { state.withLock { $0.pending = $0.durable } }

  /// Reads the file at a path. Nil if there is none.
  ///
  /// - Throws: `StoreError.unusable` if the file cannot be read, or is damaged.
  static func read(_ path: String) throws(StoreError) -> Record? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .unusable(path: path, reason: String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Record.length + 1)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw .unusable(path: path, reason: String(cString: strerror(errno))) }
    guard let record = Record(Array(bytes[..<count])) else {
      throw .unusable(
        path: path, reason: "it is damaged; check that the database is intact, remove this file, then start again")
    }
    return record
  }
}
