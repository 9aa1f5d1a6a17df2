import Domain
import Metrics
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Feed
@testable import Web

@Suite("Event loop broadcaster")
struct EventLoopBroadcasterTests {
  /// A client of a stream, which records the bytes that it gets.
  private final class Client {
    let channel: EmbeddedChannel
    private let watch = HTTPConnectionGuard(
      ConnectionCounts(perNetworkMax: 1, proxies: TrustedProxies()), UnreadResponses()
    ) { _, _ in nil }
    private var text = ""
    private(set) var isOver = false

    init(_ loop: EmbeddedEventLoop) { channel = EmbeddedChannel(handler: watch, loop: loop) }

    func join(
      _ streams: EventLoopBroadcaster, _ list: CurrentList, _ filter: FeedFilter, endsAt: NIODeadline = .distantFuture
    ) throws {
      let response = StreamingResponse(connectionGuard: watch, eventLoop: channel.embeddedEventLoop)
      let client = StreamClient(response, StreamCursor(last: nil), filter, endsAt: endsAt) { [self] in isOver = true }
      streams.add(client, try #require(list.revision))
    }

    /// Sequence numbers of the received lists.
    func receivedSeqs() throws -> [UInt64] {
      while case .body(let buffer)? = try channel.readOutbound(as: HTTPResponsePart.self) {
        text += String(buffer: buffer)
      }
      return text.split(separator: "\n").compactMap { line in
        line.hasPrefix("id: ") ? line.split(separator: "-").last.flatMap { UInt64($0) } : nil
      }
    }
  }

  private let loop = EmbeddedEventLoop()
  private let list = CurrentList.sample()

  private func streams(_ filter: FeedFilter = .all) -> EventLoopBroadcaster {
    EventLoopBroadcaster(loop, isShared: filter.isAll, dropped: Counter(label: "dropped")) { [list] in list.revision }
  }

  private func clients(_ count: Int, of streams: EventLoopBroadcaster, _ filter: FeedFilter = .all) throws -> [Client] {
    try (0..<count).map { _ in
      let client = Client(loop)
      try client.join(streams, list, filter)
      return client
    }
  }

  /// Number of clients that received exactly these sequence numbers.
  private func count(_ clients: [Client], received: [UInt64]) throws -> Int {
    try clients.count { try $0.receivedSeqs() == received }
  }

  @Test("Each client gets each change once across batches, even if clients join and leave between them")
  func turns() throws {
    let streams = streams()
    let clients = try clients(3 * Limits.streamsPerBatch, of: streams)
    try list.post()
    streams.wake()
    loop.run()
    #expect(try count(clients, received: [0, 1]) == Limits.streamsPerBatch)
    // A served client and an unserved one leave, and a new client joins.
    for index in [clients.count - 1, 1] { _ = clients[index].channel.close() }
    try list.post()
    streams.wake()
    let late = Client(loop)
    try late.join(streams, list, .all)
    loop.advanceTime(by: .microseconds(Limits.streamPauseUs))
    #expect(try count(clients, received: [0, 1]) == 2 * Limits.streamsPerBatch)
    loop.advanceTime(by: .milliseconds(2 * Limits.streamIntervalMs))
    for (index, client) in clients.enumerated() {
      let hasLeft = index == 1 || index == clients.count - 1
      let received = try client.receivedSeqs()
      #expect(received == (index == 1 ? [0] : hasLeft ? [0, 1] : [0, 1, 2]) && client.isOver == hasLeft)
    }
    let received = try late.receivedSeqs()
    #expect(received == [2])
  }

  @Test("A batch has fewer filtered streams than unfiltered ones")
  func filtered() throws {
    let filter = try FeedFilter(country: "NO", box: "")
    let streams = streams(filter)
    let clients = try clients(2 * Limits.filteredStreamsPerBatch, of: streams, filter)
    try list.post()
    streams.wake()
    loop.run()
    #expect(try count(clients, received: [0, 1]) == Limits.filteredStreamsPerBatch)
    loop.advanceTime(by: .microseconds(Limits.streamPauseUs))
    #expect(try count(clients, received: [0, 1]) == clients.count)
  }

  @Test("Streams that end between two batches get no further events")
  func end() throws {
    let streams = streams()
    let clients = try clients(Limits.streamsPerBatch + 1, of: streams)
    try list.post()
    streams.wake()
    loop.run()
    streams.end()
    loop.advanceTime(by: .seconds(2))
    #expect(clients.count { $0.isOver } == clients.count)
    #expect(try count(clients, received: [0]) == 1)
  }

  @Test(
    "The interval between rounds is twice the time of the last round's writes, from 50 ms to 1 s",
    arguments: [
      (0, 50), (25, 50), (26, 52), (499, 998), (500, 1_000), (501, 1_000), (3_600_000, 1_000),
    ] as [(Int64, Int64)])
  func pause(tookMs: Int64, pauseMs: Int64) {
    #expect(EventLoopBroadcaster.pause(after: .milliseconds(tookMs)) == .milliseconds(pauseMs))
  }

  @Test("A stream ends at most one sweep after its end time, and other streams go on")
  func ends() throws {
    let streams = streams()
    let (guest, member) = (Client(loop), Client(loop))
    try guest.join(streams, list, .all, endsAt: loop.now + .seconds(3))
    try member.join(streams, list, .all)
    loop.advanceTime(by: .seconds(2))
    #expect(!guest.isOver && !member.isOver)
    loop.advanceTime(by: .milliseconds(1_000 + Limits.streamSweepMs + Limits.streamIntervalMs))
    #expect(guest.isOver && !member.isOver)
  }
}
