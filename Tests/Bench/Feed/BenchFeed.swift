import Domain
import Foundation
import Logging
import Messaging
import Synchronization

/// The release's feed process with a change server of the bench, which publishes changes without a disk.
final class BenchFeed {
  let feed: Program
  let publish: Endpoint
  let publishPort: Int
  let httpPort: Int
  /// Sequence number of the last change.
  private(set) var seq: UInt64
  private let reactor: Reactor
  private let changes: Changes
  private let entry: Entry

  /// Length of an entry's texts.
  enum Entry {
    /// A hundred entries make a list of 20,000 bytes, as in the baselines.
    case usual
    /// A single change has 200 bytes, as in the baselines.
    case short
  }

  /// Starts a feed with the whole list.
  ///
  /// - Parameter alone: True to send each change in its own reply. Otherwise waiting changes share a reply, as from
  ///   ingest.
  init(folder: URL, entry: Entry, alone: Bool = false) throws {
    self.entry = entry
    let entries = (1...UInt64(Limits.feedEntriesMax)).map { BenchFeed.line($0, entry) }
    seq = UInt64(Limits.feedEntriesMax)
    let random = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    guard let epoch = Epoch(random) else { throw BenchError("16 bytes are no epoch") }
    let state = FeedState(epoch: epoch, seq: seq, entries: entries.reversed())
    let wake = WakeupEvent()
    let queue = CommandQueue<[FeedChange]>(wake)
    var logger = Logger(label: "bench")
    logger.logLevel = .critical
    let quiet = logger
    let changes = Changes(queue, alone: alone)
    let (reactor, address) = try Reactor.start("changes", wake: wake) { context in
      let server = try ChangeServer(
        context, bind: try Endpoint("tcp://127.0.0.1:*"), state: state, generation: 1, committedChanges: queue,
        logger: quiet)
      return ([PacedServer(server, changes)], server.endpoint)
    }
    (self.reactor, self.changes) = (reactor, changes)
    feed = try Program(
      Program.onthemap,
      [
        "feed", "--data", "none", "--ingest", address.description, "--publish", "tcp://127.0.0.1:*", "--query",
        "tcp://127.0.0.1:*", "--http", "127.0.0.1:0", "--operations", "none", "--log-level", "warning",
      ], log: folder.appendingPathComponent("feed.log"))
    publish = try Endpoint(feed.ready["feed"] ?? "")
    publishPort = try BenchFeed.port(feed.ready["feed"])
    httpPort = try BenchFeed.port(feed.ready["feed-http"])
  }

  deinit {
    feed.end()
    reactor.stop()
  }

  /// Publishes new posts, as ingest would after a commit. Returns immediately.
  func put(_ count: Int = 1) {
    changes.put((1...UInt64(count)).map { FeedChange.upsert(BenchFeed.line(seq + $0, entry)) })
    seq += UInt64(count)
  }

  private static func line(_ seq: UInt64, _ entry: Entry) -> FeedEntry {
    guard let id = PostID(rawValue: 1 << 58 + seq),
      let coordinate = Coordinate(latitude: 47.60621, longitude: -122.33207)
    else { preconditionFailure("The number and the position are in range.") }
    let unixMs: Int64 = 1_790_000_000_000 + Int64(seq)
    let link = "https://example.org/" + String(repeating: "x", count: entry == .usual ? 60 : 21)
    return FeedEntry(
      id: id, seq: seq, account: AccountID(rawValue: Int64(seq % 100)), firstName: "Ada",
      lastName: entry == .usual ? "Lovelace" : "", place: "Seattle, WA",
      label: entry == .usual ? "Seattle, Washington, United States" : "Seattle", countryCode: "US", link: link,
      coordinate: coordinate, agreement: .notGiven, createdMs: unixMs, updatedMs: unixMs)
  }

  private static func port(_ address: String?) throws -> Int {
    guard let port = address?.split(separator: ":").last.flatMap({ Int($0) }) else {
      throw BenchError("the feed does not report its addresses")
    }
    return port
  }
}

/// Changes that wait for the change server. Any thread may add changes.
private final class Changes: Sendable {
  private let queue: CommandQueue<[FeedChange]>
  private let alone: Bool
  private let waiting = Mutex<[FeedChange]>([])

  init(_ queue: CommandQueue<[FeedChange]>, alone: Bool) {
    self.queue = queue
    self.alone = alone
  }

  func put(_ new: [FeedChange]) {
    guard alone else { return queue.enqueue(new) }
    waiting.withLock { $0 += new }
    // An empty batch only wakes the server.
    queue.enqueue([])
  }

  /// Passes one waiting change to the server. Returns false if none waits.
  func sendOne() -> Bool {
    guard let change = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
    queue.enqueue([change])
    return true
  }
}

/// A change server that may reply to each fetch with a single change.
private final class PacedServer: ReactorSocket {
  private let server: ChangeServer
  private let changes: Changes
  private var hasOpenFetch = false

  init(_ server: ChangeServer, _ changes: Changes) {
    self.server = server
    self.changes = changes
  }

  var socket: Socket { server.socket }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    hasOpenFetch = true
    server.receive(frames, nowMs: nowMs)
  }

  func tick(nowMs: Int64) -> Int64 {
    if hasOpenFetch { hasOpenFetch = !changes.sendOne() }
    return server.tick(nowMs: nowMs)
  }

  func shutDown() {}
}
