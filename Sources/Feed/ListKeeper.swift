import FoundationEssentials
import Glibc
import Link
import Logging
import OnTheMap

/// Keeps the feed's last list in a file, so that a feed that starts while ingest is away has something to tell.
///
/// The file is written whole and renamed into its place: who reads it finds one list or the other. What it says may be
/// behind by `Limits.listKeptMs`; ingest tells the rest.
struct ListKeeper: Sendable {
  let folder: String
  let latest: LatestList
  let logger: Logger

  private var path: String { folder + "/feed.list" }

  /// The list of before; nil where there is none, or none that is whole. Waits for the disk.
  func read() -> FeedState? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    guard let state = KeptList.state(Array(data)) else {
      logger.warning("the kept list is damaged, and not used", metadata: ["path": "\(path)"])
      return nil
    }
    logger.notice("list of before", metadata: ["seq": "\(state.seq)", "entries": "\(state.entries.count)"])
    return state
  }

  /// Keeps each list for a while, until the task is cancelled.
  func run() async {
    var kept: FeedState?
    while (try? await Task.sleep(for: .milliseconds(Limits.listKeptMs))) != nil {
      guard let state = latest.state, state.seq != kept?.seq || state.epoch != kept?.epoch else { continue }
      if keep() { kept = state }
    }
  }

  /// Keeps the list as it stands. On disk on return; false where that failed, which the log tells: the old one stays.
  /// Waits for the disk.
  @discardableResult
  func keep() -> Bool {
    guard let state = latest.state else { return true }
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try replace(with: KeptList.bytes(state))
      return true
    } catch {
      logger.warning("the list cannot be kept", metadata: ["path": "\(path)", "reason": "\(error)"])
      return false
    }
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
    let written = write(descriptor, bytes, bytes.count)
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
