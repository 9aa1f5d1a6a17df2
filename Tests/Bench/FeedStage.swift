import Foundation
import Link
import Logging
import OnTheMap

/// A feed as built, and ingest's end of the change log: the bench says what changes and when, and no disk is in the way.
final class FeedStage {
  let feed: Program
  let publish: Endpoint
  let publishPort: Int
  let httpPort: Int
  /// Of the last change.
  private(set) var seq: UInt64
  private let reactor: Reactor
  private let inbox: Inbox<[FeedEntry]>
  private let entry: Entry

  /// How long an entry's texts are.
  enum Entry {
    /// A hundred make a list of 20,000 bytes, as the yardsticks' are.
    case usual
    /// A change by itself is of 200 bytes, as the yardsticks' are.
    case short
  }

  /// A feed that has the whole list.
  init(folder: URL, entry: Entry) throws {
    self.entry = entry
    let entries = (1...UInt64(Limits.feedEntriesMax)).map { FeedStage.line($0, entry) }
    seq = UInt64(Limits.feedEntriesMax)
    let random = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    guard let epoch = Epoch(random) else { throw BenchError("16 bytes are no epoch") }
    let state = FeedState(epoch: epoch, seq: seq, entries: entries.reversed())
    let wake = Wake()
    let inbox = Inbox<[FeedEntry]>(wake)
    var logger = Logger(label: "bench")
    logger.logLevel = .critical
    let quiet = logger
    let (reactor, changes) = try Reactor.start("changes", wake: wake) { context in
      let server = try ChangeServer(
        context, bind: try Endpoint("tcp://127.0.0.1:*"), state: state, inbox: inbox, logger: quiet)
      return ([server], server.endpoint)
    }
    (self.reactor, self.inbox) = (reactor, inbox)
    feed = try Program(
      Program.onthemap,
      [
        "feed", "--ingest", changes.description, "--publish", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0",
        "--operations", "none", "--log-level", "warning",
      ], log: folder.appendingPathComponent("feed.log"))
    publish = try Endpoint(feed.ready["feed"] ?? "")
    publishPort = try FeedStage.port(feed.ready["feed"])
    httpPort = try FeedStage.port(feed.ready["feed-http"])
  }

  deinit {
    feed.end()
    reactor.stop()
  }

  /// Commits new posts, as far as the feed can tell. Returns at once.
  func put(_ count: Int = 1) {
    inbox.put((1...UInt64(count)).map { FeedStage.line(seq + $0, entry) })
    seq += UInt64(count)
  }

  private static func line(_ seq: UInt64, _ entry: Entry) -> FeedEntry {
    guard let id = PostID(rawValue: 1 << 58 + seq),
      let coordinate = Coordinate(latitude: 47.60621, longitude: -122.33207)
    else { preconditionFailure("A number and a position that are in range.") }
    let unixMs: Int64 = 1_790_000_000_000 + Int64(seq)
    let link = "https://example.org/" + String(repeating: "x", count: entry == .usual ? 60 : 21)
    return FeedEntry(
      id: id, seq: seq, account: AccountID(rawValue: Int64(seq % 100)), firstName: "Ada",
      lastName: entry == .usual ? "Lovelace" : "", place: "Seattle, WA",
      label: entry == .usual ? "Seattle, Washington, United States" : "Seattle", countryCode: "US", link: link,
      coordinate: coordinate, agreement: .found, createdMs: unixMs, updatedMs: unixMs)
  }

  private static func port(_ address: String?) throws -> Int {
    guard let port = address?.split(separator: ":").last.flatMap({ Int($0) }) else {
      throw BenchError("the feed does not tell its addresses")
    }
    return port
  }
}
