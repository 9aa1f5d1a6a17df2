import Domain
import FoundationEssentials
import Glibc
import Logging
import Messaging

/// Keeps the feed's last list in a file, so that a feed that starts while ingest is away has something to tell.
///
/// The file is written whole and renamed into its place: who reads it finds one list or the other. What it says may be
/// behind by `Limits.snapshotFileMaxAgeMs`; ingest tells the rest.
struct SnapshotFile: Sendable {
  let folder: String
  let latest: CurrentList
  let logger: Logger

  private var path: String { folder + "/feed.list" }

  /// The list of before; nil where there is none, or none that is whole. Waits for the disk.
  func read() -> FeedState? {
    guard let bytes = contents() else { return nil }
    guard let state = SnapshotFileFormat.state(bytes) else {
      logger.warning("the kept list is damaged, and not used", metadata: ["path": "\(path)"])
      return nil
    }
    logger.notice("list of before", metadata: ["seq": "\(state.seq)", "entries": "\(state.entries.count)"])
    return state
  }

  /// Bytes of the file; nil where there is none. A link or a pipe that another user of the folder has planted is not
  /// followed, and does not hold up the start; nor does a file that is longer than any list.
  private func contents() -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes = [UInt8](repeating: 0, count: SnapshotFileFormat.bytesMax)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : Array(bytes.prefix(count))
  }

  /// Keeps each list for a while, until the task is cancelled. While that fails, the log says so once a minute.
  func run() async {
    var kept: FeedState?
    var failures = LogRateLimiter()
    while (try? await Task.sleep(for: .milliseconds(Limits.snapshotFileMaxAgeMs))) != nil {
      guard let state = latest.state, state.seq != kept?.seq || state.epoch != kept?.epoch else { continue }
      do {
        try write(state)
        (kept, failures) = (state, LogRateLimiter())
      } catch {
        if let before = failures.admit(path, nowMs: Reactor.nowMs) { logFailure(error, before: before) }
      }
    }
  }

  /// Keeps the list as it stands. On disk on return; false where that failed, which the log tells: the old one stays.
  /// Waits for the disk.
  @discardableResult
  func save() -> Bool {
    guard let state = latest.state else { return true }
    do { try write(state) } catch {
      logFailure(error, before: 0)
      return false
    }
    return true
  }

  /// - Parameter before: failures since the line before.
  private func logFailure(_ error: any Error, before: Int) {
    logger.warning(
      "the list cannot be kept", metadata: ["path": "\(path)", "reason": "\(error)", "before": "\(before)"])
  }

  private func write(_ state: FeedState) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try replace(with: SnapshotFileFormat.bytes(state))
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ code: Int32 = errno) { description = String(cString: strerror(code)) }
  }

  private func replace(with bytes: [UInt8]) throws {
    // Another feed may use the folder too: each writes its own, and the last one counts.
    let new = "\(path).\(getpid())"
    // Removes the file of a killed feed, and a link that another user of the folder has planted. If such a link comes
    // between the two calls, `open` fails, and the feed keeps the list the next time.
    unlink(new)
    let descriptor = open(new, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure() }
    defer { close(descriptor) }
    let written = Glibc.write(descriptor, bytes, bytes.count)
    guard written == bytes.count, fdatasync(descriptor) == 0, rename(new, path) == 0 else {
      let failure = written >= 0 && written < bytes.count ? Failure(ENOSPC) : Failure()
      unlink(new)
      throw failure
    }
    let parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { throw Failure() }
    defer { close(parent) }
    guard fsync(parent) == 0 else { throw Failure() }
  }
}
