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
      keep()
      kept = state
    }
  }

  /// Keeps the list as it stands. On disk on return, unless that failed: it is told in the log, and the old one stays.
  /// Waits for the disk.
  func keep() {
    guard let state = latest.state else { return }
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try replace(with: KeptList.bytes(state))
    } catch { logger.warning("the list cannot be kept", metadata: ["path": "\(path)", "reason": "\(error)"]) }
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
    init() { description = String(cString: strerror(errno)) }
  }

  private func replace(with bytes: [UInt8]) throws {
    let new = path + ".new"
    let descriptor = open(new, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure() }
    defer { close(descriptor) }
    guard write(descriptor, bytes, bytes.count) == bytes.count, fdatasync(descriptor) == 0, rename(new, path) == 0
    else { throw Failure() }
  }
}
