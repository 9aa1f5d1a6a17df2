import Domain
import FoundationEssentials
import Glibc
import Logging
import Messaging
import Web

/// The file of the feed's last list. A feed that starts while ingest is unavailable publishes this list.
///
/// The feed writes a new file and renames it, so a reader finds the old list or the new one, never a part. The file may
/// be `Limits.snapshotFileMaxAgeMs` behind. Ingest sends the later changes.
struct SnapshotFile: Sendable {
  let folder: String
  let latest: CurrentList
  let logger: Logger

  private var path: String { folder + "/feed.snapshot" }

  /// Returns the list of an earlier run. Nil if there is none, or if it is damaged. Blocks on the disk.
  func read() -> FeedState? {
    guard let bytes = contents() else { return nil }
    guard let state = SnapshotFileFormat.state(bytes) else {
      logger.warning("snapshot file ignored: damaged", metadata: ["path": "\(path)"])
      return nil
    }
    logger.notice(
      "snapshot loaded",
      metadata: ["source": "file", "seq": "\(state.seq)", "entries": "\(state.entries.count)"])
    return state
  }

  /// Returns the bytes of the file, at most as many as the longest list has. Nil if there is no file. Never follows a
  /// link, and never waits for a pipe, that another user of the folder has planted.
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

  /// Saves the list every `Limits.snapshotFileMaxAgeMs` if it has changed, until the task is cancelled. Logs failures
  /// at most once a minute.
  func run() async {
    var saved: FeedState?
    var failures = LogRateLimiter()
    while (try? await Task.sleep(for: .milliseconds(Limits.snapshotFileMaxAgeMs))) != nil {
      guard let state = latest.state, state.seq != saved?.seq || state.epoch != saved?.epoch else { continue }
      do {
        try write(state)
        (saved, failures) = (state, LogRateLimiter())
      } catch {
        if let suppressed = failures.admit(path, nowMs: Reactor.nowMs) { logFailure(error, suppressed: suppressed) }
      }
    }
  }

  /// Saves the current list, which is durable on return. On failure, logs the reason and returns false. Blocks on the
  /// disk.
  @discardableResult
  func save() -> Bool {
    guard let state = latest.state else { return true }
    do { try write(state) } catch {
      logFailure(error, suppressed: 0)
      return false
    }
    return true
  }

  /// Logs a failure.
  ///
  /// - Parameter suppressed: Number of failures since the previous line.
  private func logFailure(_ error: any Error, suppressed: Int) {
    var metadata: Logger.Metadata = ["path": "\(path)", "error": "\(error)"]
    if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
    logger.warning("snapshot save failed", metadata: metadata)
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
    // Another feed may use the folder too. Each writes its own file, and the last rename counts.
    let new = "\(path).\(getpid())"
    // Removes the file of a killed feed, or a link that another user of the folder has planted. If such a link appears
    // between the two calls, `open` fails, and the feed saves the list the next time.
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
