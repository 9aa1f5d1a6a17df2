import Foundation
import Testing

@Suite("Feed stream (SSE)", .fixture)
struct EventStreamTests {
  private func meters(of map: Services) async throws -> (open: Double, dropped: Double, refused: Double) {
    let scrape = try await Scrape(map.operations[map.feed == nil ? 0 : 1])
    return (
      scrape[#"onthemap_feed_subscribers{kind="sse"}"#], scrape["onthemap_feed_streams_dropped_total"],
      scrape["onthemap_feed_streams_refused_total"]
    )
  }

  @Test("A stream resumes after its last event id without a snapshot, and after a feed restart")
  func resumed() async throws {
    let map = try await SystemFixture.current.roles()
    let feed = try map.feedClient
    let posts = Stream(try await map.client.signedUp(), count: 150)
    posts.allow(60)
    async let sent: Void = posts.run()
    var stream = try await EventStream(feed)
    #expect(stream.status == 200 && stream.headers["content-type"] == "text/event-stream")
    #expect(stream.headers["access-control-allow-origin"] == "*" && stream.headers["cache-control"] == "no-store")
    try await stream.read(until: "some posts are received") { $0.list?.seq ?? 0 >= 30 }
    #expect((1_000...5_000).contains(stream.events[0].retry ?? 0) && stream.events[1].name == "snapshot")
    #expect(stream.events.dropFirst().allSatisfy { $0.retry == nil && $0.id != nil })
    // The stream's connection closes when the variable is replaced.
    posts.allow(150)
    try await eventually("a hundred posts are received") { try await feed.list().seq >= 100 }
    stream = try await EventStream(feed, lastID: stream.lastID, list: stream.list)
    try await stream.read(until: "the missed posts are received") { $0.events.count > 1 && $0.isStale == false }
    #expect(stream.events[0].retry != nil && stream.events[1].name == "delta")
    #expect(!stream.events.contains { $0.name == "snapshot" })
    try await sent
    try await stream.read(until: "all posts are received") { $0.list?.seq == 150 }
    let (last, list) = (try #require(stream.lastID), stream.list)
    #expect(try await posts.client.post("Lima", wait: 30)["state"] == "published")
    // A page cannot set the Last-Event-ID header, so it names the id in the query.
    stream = try await EventStream(feed, "?lastEventId=\(last)", list: list)
    try await stream.read(until: "the missed posts are received") { $0.list?.seq == 151 }
    #expect(!stream.events.contains { $0.name == "snapshot" }, "A known position must need no snapshot.")
    #expect(try await stream.list == feed.list())
    #expect(try await stream.list == map.client.list())

    try await map.feed?.restart()
    let again = try await EventStream(try map.feedClient, lastID: stream.lastID, list: stream.list)
    #expect(try await map.client.signedUp(as: "bob@example.org").post("Lima", wait: 30)["state"] == "published")
    try await again.read(until: "the restarted feed sends the next post") { $0.list?.seq == 152 }
    #expect(try await again.list == feed.list())
  }

  @Test("An unknown last event id gets a snapshot")
  func unknown() async throws {
    let map = try await SystemFixture.current.up()
    #expect(try await map.client.signedUp().post("Oslo", wait: 30)["state"] == "published")
    let feed = try map.feedClient
    try await eventually("the feed has the post") { try await feed.list().seq == 1 }
    let epoch = try await feed.list().epoch
    for last in [
      "", "x", "\(epoch)-2", "\(epoch)-99999999999999999999", "\(epoch)", "\(epoch)-1-1",
      "\(String(epoch.reversed()))-1", "-1",
      String(repeating: "a", count: 8_000),
    ] {
      let stream = try await EventStream(feed, lastID: last)
      try await stream.read(until: "the list is received") { $0.list != nil }
      #expect(stream.status == 200 && stream.events.map(\.name) == ["", "snapshot"], "\(last.prefix(50))")
      #expect(try await stream.list == feed.list())
    }
    let known = try await EventStream(feed, lastID: "\(epoch)-1")
    try await known.read(until: "the stream says that it is up to date") { $0.isStale == false }
    #expect(known.events.map(\.name) == ["", "stale"])
  }

  @Test("An idle stream gets heartbeats, and a silent ingest marks it stale until ingest returns")
  func silence() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    // Take the time before the last event that precedes the silence.
    let start = ContinuousClock.now
    let stream = try await EventStream(try map.feedClient)
    try await stream.read(until: "the list is received and fresh") { $0.isStale == false }
    let heartbeat = EventStream.Event(comment: "heartbeat")
    try await stream.read(until: "a heartbeat is received") { $0.events.contains(heartbeat) }
    #expect(ContinuousClock.now - start > .seconds(9))
    map.ingest.signal(SIGSTOP)
    try await stream.read(until: "the stream is stale") { $0.isStale == true }
    map.ingest.signal(SIGCONT)
    try await stream.read(until: "the stream is fresh again") { $0.isStale == false }
    let (stale, fresh) = (#"{"stale":true}"#, #"{"stale":false}"#)
    let first = try #require(stream.events.firstIndex { $0.data.contains(#""stale":false"#) })
    let laterEvents = stream.events[first...].dropFirst()
    #expect(laterEvents.allSatisfy { $0.name == "stale" || $0 == heartbeat }, "\(laterEvents)")
    // If the machine stalls, the feed may miss ingest more than once, so there may be more than two events.
    let staleEvents = laterEvents.filter { $0.name == "stale" }.map(\.data)
    let alternates = staleEvents.enumerated().allSatisfy { $1 == ($0 % 2 == 0 ? stale : fresh) }
    #expect(staleEvents.count >= 2 && alternates, "\(staleEvents)")
  }

  @Test("The feed disconnects only the client that does not read, and notices a client's own disconnect")
  func slow() async throws {
    let map = try await SystemFixture.current.up()
    let token = try await map.client.signedUp().token
    let quick = try await EventStream(try map.feedClient)
    try await map.submit(100, token: token, linkBytes: 2_048)
    try await quick.read(until: "a hundred posts are received") { $0.list?.seq == 100 }
    // Take the time before the first byte that the client does not read.
    let start = ContinuousClock.now
    let slow = try Connection(port: map.feedClient.port, receiveBuffer: 4_096)
    try await slow.send(Array("GET /v2/feed/stream HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
    try await eventually("both streams are counted, or the slow one is disconnected") {
      let meters = try await meters(of: map)
      return meters.open == 2 || meters.dropped == 1
    }
    for seq in stride(from: UInt64(200), through: 400, by: 100) {
      try await map.submit(100, token: token, linkBytes: 2_048)
      try await quick.read(until: "the quick stream has \(seq)") { $0.list?.seq == seq }
    }
    try await eventually("the slow stream is disconnected") { try await meters(of: map).dropped == 1 }
    #expect(ContinuousClock.now - start > .seconds(9))
    #expect(try await meters(of: map).open == 1)
    try await map.submit(1, token: token)
    try await quick.read(until: "the quick stream has the next post") { $0.list?.seq == 401 }
    #expect(try await quick.list == map.feedClient.list())
    withExtendedLifetime(slow) {}
    do {
      let short = try await EventStream(try map.feedClient)
      try await short.read(until: "the list is received") { $0.list != nil }
      #expect(try await meters(of: map).open == 2)
    }
    try await eventually("the disconnect is noticed") { try await meters(of: map).open == 1 }
    #expect(try await meters(of: map).dropped == 1, "A client's own disconnect must not count as dropped.")
  }

  @Test("Streams above the limit are refused until one ends, and the list is still served")
  func most() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    try await map.feed?.kill()
    // A feed with 256 descriptors uses three quarters of them for connections, and five sixths of these for streams.
    try await map.feed?.startAndWait(under: ["sh", "-c", "ulimit -n 256; exec \"$0\" \"$@\""])
    let feed = try map.feedClient
    var streams: [EventStream] = []
    for index in 0..<160 {
      streams.append(try await EventStream(feed))
      #expect(streams[index].status == 200, "\(index)")
    }
    let refused = try await feed.get("/v2/feed/stream")
    #expect(refused.status == 503 && refused["code"] == "too_many_streams" && refused.headers["retry-after"] == "5")
    #expect(refused.headers["access-control-allow-origin"] == "*")
    #expect(try await feed.get("/v2/feed").status == 200)
    #expect(try await feed.send("HEAD", "/v2/feed/stream").status == 503)
    let counted = try await meters(of: map)
    #expect(counted.open == 160 && counted.refused == 2)
    streams.removeLast(2)
    try await eventually("a stream would be accepted") { try await feed.send("HEAD", "/v2/feed/stream").status == 200 }
    // A HEAD request occupies no slot.
    for _ in 0..<2 {
      streams.append(
        try await eventually("a stream is accepted") {
          let stream = try await EventStream(feed)
          return stream.status == 200 ? stream : nil
        })
    }
    #expect(try await feed.get("/v2/feed/stream").status == 503)
  }

  @Test("Three hundred clients connect to a busy feed without a second SYN")
  func herd() async throws {
    let map = try await SystemFixture.current.up()
    // A stopped process stands for a busy feed, because it accepts no connection.
    map.ingest.signal(SIGSTOP)
    try await map.ingest.waitUntilStopped()
    // The 300 connections exceed a listener's default backlog. If the backlog is full, the client's kernel resends its
    // SYN, and gives up after about two minutes.
    let connections = try (0..<300).map { _ in try Connection(port: map.feedClient.port) }
    for connection in connections { #expect(try connection.retransmissions == 0) }
    map.ingest.signal(SIGCONT)
    for connection in connections { try await connection.send(Array("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n".utf8)) }
    for connection in connections { #expect(try await connection.receive(12) == "HTTP/1.1 204") }
  }

  @Test("A filtered stream receives its matching posts and their removal")
  func filters() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let feed = try map.feedClient
    let queries = ["?country=NZ,us", "?bbox=170,-50,-150,30", "?country=US&bbox=170,-50,-150,30"]
    var streams: [EventStream] = []
    for query in queries { streams.append(try await EventStream(feed, query)) }
    for place in ["Oslo", "Wellington, NZ", "Honolulu", "Seattle, WA", "Lima"] {
      #expect(try await client.post(place, wait: 30)["state"] == "published")
    }
    for (stream, (count, query)) in zip(streams, zip([3, 2, 1], queries)) {
      try await stream.read(until: "\(query) has its posts") { $0.list?.entries.count == count }
      // A post is published in ingest a moment before the feed has it.
      let list = try await eventually("the feed has the last post") {
        let list = try await feed.get("/v2/feed" + query).decoded(FeedList.self)
        return list.seq == 5 ? list : nil
      }
      #expect(list.entries == stream.list?.entries && list.stateHash == stream.list?.stateHash)
      #expect(stream.events.filter { $0.name == "delta" }.count <= count, "A filtered stream must get no other posts.")
    }
    // A hundred other posts push all these posts off the list.
    try await map.submit(100, token: client.token)
    for stream in streams {
      try await stream.read(until: "the list is empty") { $0.list?.entries.isEmpty == true }
      #expect(stream.list?.stateHash == "cbf29ce484222325")
    }
    for (query, code) in [
      ("country=USA", "invalid_country"), ("bbox=1,2,3", "invalid_bbox"), ("bbox=0,1,0,0", "invalid_bbox"),
    ] {
      for path in ["/v2/feed", "/v2/feed/stream"] {
        let response = try await feed.get("\(path)?\(query)")
        #expect(response.status == 400 && response["code"] == code)
        #expect(response.headers["access-control-allow-origin"] == "*")
        BadRequest.expectProblem(response, "\(query)")
      }
    }
  }
}

extension Services {
  /// Submits posts in one batch over ZeroMQ. A hundred posts with the longest links make a list of 250 KB.
  func submit(_ count: Int, token: String?, linkBytes: Int = 40) async throws {
    let batch = UUID()
    let link = "https://example.org/" + String(repeating: "a", count: linkBytes - 20)
    let reply = try await Producer(submit, token: token).submit(
      (0..<count).map { Draft(key: "\(batch)-\($0)", link: link) })
    #expect(reply.receipts.count == count && reply.receipts.allSatisfy { $0.outcome == .accepted })
  }
}
