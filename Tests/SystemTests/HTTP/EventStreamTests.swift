import Foundation
import Testing

@Suite("The feed's stream over HTTP", .stage)
struct EventStreamTests {
  private func meters(of map: Services) async throws -> (open: Double, dropped: Double, refused: Double) {
    let scrape = try await Scrape(map.operations[map.feed == nil ? 0 : 1])
    return (
      scrape[#"onthemap_feed_subscribers{kind="sse"}"#], scrape["onthemap_feed_streams_dropped_total"],
      scrape["onthemap_feed_streams_refused_total"]
    )
  }

  @Test(
    "A client that is cut off comes again with its last event's id, and has lost nothing; then with the feed's restart")
  func resumed() async throws {
    let map = try await SystemFixture.current.roles()
    let feed = try map.feedClient
    let posts = Stream(try await map.client.signedUp(), count: 150)
    posts.allow(60)
    async let sent: Void = posts.run()
    var stream = try await EventStream(feed)
    #expect(stream.status == 200 && stream.headers["content-type"] == "text/event-stream")
    #expect(stream.headers["access-control-allow-origin"] == "*" && stream.headers["cache-control"] == "no-store")
    try await stream.read(until: "some posts are told") { $0.list?.seq ?? 0 >= 30 }
    #expect((1_000...5_000).contains(stream.events[0].retry ?? 0) && stream.events[1].name == "snapshot")
    #expect(stream.events.dropFirst().allSatisfy { $0.retry == nil && $0.id != nil })
    // Cut off here: the connection goes with the stream.
    posts.allow(150)
    try await eventually("a hundred are told") { try await feed.list().seq >= 100 }
    stream = try await EventStream(feed, lastID: stream.lastID, list: stream.list)
    try await stream.read(until: "it is told what it missed") { $0.events.count > 1 && $0.isStale == false }
    #expect(stream.events[0].retry != nil && stream.events[1].name == "delta")
    #expect(!stream.events.contains { $0.name == "snapshot" })
    try await sent
    try await stream.read(until: "all are told") { $0.list?.seq == 150 }
    let (last, list) = (try #require(stream.lastID), stream.list)
    #expect(try await posts.client.post("Lima", wait: 30)["state"] == "published")
    // As pages do it whose browsers have no such stream of their own.
    stream = try await EventStream(feed, "?lastEventId=\(last)", list: list)
    try await stream.read(until: "it is told what it missed") { $0.list?.seq == 151 }
    #expect(!stream.events.contains { $0.name == "snapshot" }, "What it has seen is known.")
    #expect(try await stream.list == feed.list())
    #expect(try await stream.list == map.client.list())

    try await map.feed?.restart()
    let again = try await EventStream(try map.feedClient, lastID: stream.lastID, list: stream.list)
    #expect(try await map.client.signedUp(as: "bob@example.org").post("Lima", wait: 30)["state"] == "published")
    try await again.read(until: "the feed goes on after its restart") { $0.list?.seq == 152 }
    #expect(try await again.list == feed.list())
  }

  @Test("Who says that it has seen what nobody knows gets the whole list")
  func unknown() async throws {
    let map = try await SystemFixture.current.up()
    #expect(try await map.client.signedUp().post("Oslo", wait: 30)["state"] == "published")
    let feed = try map.feedClient
    try await eventually("the feed has it") { try await feed.list().seq == 1 }
    let epoch = try await feed.list().epoch
    for last in [
      "", "x", "\(epoch)-2", "\(epoch)-99999999999999999999", "\(epoch)", "\(epoch)-1-1",
      "\(String(epoch.reversed()))-1", "-1",
      String(repeating: "a", count: 8_000),
    ] {
      let stream = try await EventStream(feed, lastID: last)
      try await stream.read(until: "the list is told") { $0.list != nil }
      #expect(stream.status == 200 && stream.events.map(\.name) == ["", "snapshot"], "\(last.prefix(50))")
      #expect(try await stream.list == feed.list())
    }
    let known = try await EventStream(feed, lastID: "\(epoch)-1")
    try await known.read(until: "it is told that it knows all") { $0.isStale == false }
    #expect(known.events.map(\.name) == ["", "stale"])
  }

  @Test("Silence is filled with comments, and a silent ingest is told, and its return")
  func silence() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    // Before the last event that the silence follows.
    let start = ContinuousClock.now
    let stream = try await EventStream(try map.feedClient)
    try await stream.read(until: "the list is told and fresh") { $0.isStale == false }
    let heartbeat = EventStream.Event(comment: "heartbeat")
    try await stream.read(until: "the silence is filled") { $0.events.contains(heartbeat) }
    #expect(ContinuousClock.now - start > .seconds(9))
    map.ingest.signal(SIGSTOP)
    try await stream.read(until: "it is stale") { $0.isStale == true }
    map.ingest.signal(SIGCONT)
    try await stream.read(until: "it is fresh again") { $0.isStale == false }
    let (stale, fresh) = (#"{"stale":true}"#, #"{"stale":false}"#)
    let first = try #require(stream.events.firstIndex { $0.data.contains(#""stale":false"#) })
    let later = stream.events[first...].dropFirst()
    #expect(later.allSatisfy { $0.name == "stale" || $0 == heartbeat }, "\(later)")
    // On a machine that stands still a feed may miss ingest more than once, so there may be more than two.
    let told = later.filter { $0.name == "stale" }.map(\.data)
    #expect(told.count >= 2 && told.enumerated().allSatisfy { $1 == ($0 % 2 == 0 ? stale : fresh) }, "\(told)")
  }

  @Test("A client that does not read is cut off alone; one that leaves is noticed")
  func slow() async throws {
    let map = try await SystemFixture.current.up()
    let token = try await map.client.signedUp().token
    let quick = try await EventStream(try map.feedClient)
    try await map.submit(100, token: token, linkBytes: 2_048)
    try await quick.read(until: "a hundred are told") { $0.list?.seq == 100 }
    // Before the first byte that it does not read.
    let start = ContinuousClock.now
    let slow = try Connection(port: map.feedClient.port, receiveBuffer: 4_096)
    try await slow.send(Array("GET /v2/feed/stream HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
    try await eventually("both are counted, or the slow one is cut off") {
      let meters = try await meters(of: map)
      return meters.open == 2 || meters.dropped == 1
    }
    for seq in stride(from: UInt64(200), through: 400, by: 100) {
      try await map.submit(100, token: token, linkBytes: 2_048)
      try await quick.read(until: "the quick one has \(seq)") { $0.list?.seq == seq }
    }
    try await eventually("the slow one is cut off") { try await meters(of: map).dropped == 1 }
    #expect(ContinuousClock.now - start > .seconds(9))
    #expect(try await meters(of: map).open == 1)
    try await map.submit(1, token: token)
    try await quick.read(until: "the quick one goes on") { $0.list?.seq == 401 }
    #expect(try await quick.list == map.feedClient.list())
    withExtendedLifetime(slow) {}
    do {
      let short = try await EventStream(try map.feedClient)
      try await short.read(until: "it is told the list") { $0.list != nil }
      #expect(try await meters(of: map).open == 2)
    }
    try await eventually("who has left is noticed") { try await meters(of: map).open == 1 }
    #expect(try await meters(of: map).dropped == 1, "Who leaves is not cut off.")
  }

  @Test("Above the limit streams are refused until one ends, and the list is still told")
  func most() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    try await map.feed?.kill()
    // Of a quarter of 256 descriptors the feed may take three; a sixth of those is for others.
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
    try await eventually("there is room again") { try await feed.send("HEAD", "/v2/feed/stream").status == 200 }
    // What is asked for without a body keeps no place.
    for _ in 0..<2 {
      streams.append(
        try await eventually("there is room for a stream") {
          let stream = try await EventStream(feed)
          return stream.status == 200 ? stream : nil
        })
    }
    #expect(try await feed.get("/v2/feed/stream").status == 503)
  }

  @Test("Clients that all come at once while the feed is busy need no second SYN")
  func herd() async throws {
    let map = try await SystemFixture.current.up()
    // As busy as can be.
    map.ingest.signal(SIGSTOP)
    try await map.ingest.waitUntilStopped()
    // Above the default backlog of a listener. Where the backlog is full, the client's kernel sends its SYN again, and
    // gives up after some two minutes.
    let connections = try (0..<300).map { _ in try Connection(port: map.feedClient.port) }
    for connection in connections { #expect(try connection.retransmissions == 0) }
    map.ingest.signal(SIGCONT)
    for connection in connections { try await connection.send(Array("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n".utf8)) }
    for connection in connections { #expect(try await connection.receive(12) == "HTTP/1.1 204") }
  }

  @Test("A filter shows what it lets through, and tells what leaves it")
  func filters() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let feed = try map.feedClient
    let queries = ["?country=NZ,us", "?box=170,-50,-150,30", "?country=US&box=170,-50,-150,30"]
    var streams: [EventStream] = []
    for query in queries { streams.append(try await EventStream(feed, query)) }
    for place in ["Oslo", "Wellington, NZ", "Honolulu", "Seattle, WA", "Lima"] {
      #expect(try await client.post(place, wait: 30)["state"] == "published")
    }
    for (stream, (count, query)) in zip(streams, zip([3, 2, 1], queries)) {
      try await stream.read(until: "\(query) has its posts") { $0.list?.entries.count == count }
      let list = try await feed.get("/v2/feed" + query).decoded(FeedList.self)
      #expect(list.seq == 5 && list.entries == stream.list?.entries && list.stateHash == stream.list?.stateHash)
      #expect(stream.events.filter { $0.name == "delta" }.count <= count, "Nothing is told of the others.")
    }
    // A hundred others push all of them off the list.
    try await map.submit(100, token: client.token)
    for stream in streams {
      try await stream.read(until: "nothing is left") { $0.list?.entries.isEmpty == true }
      #expect(stream.list?.stateHash == "cbf29ce484222325")
    }
    for (query, code) in [
      ("country=USA", "invalid_country"), ("box=1,2,3", "invalid_box"), ("box=0,1,0,0", "invalid_box"),
    ] {
      for path in ["/v2/feed", "/v2/feed/stream"] {
        let answer = try await feed.get("\(path)?\(query)")
        #expect(answer.status == 400 && answer["code"] == code && answer.headers["access-control-allow-origin"] == "*")
        BadRequest.expectProblem(answer, "\(query)")
      }
    }
  }
}

extension Services {
  /// Posts at once, over ZeroMQ. A hundred with the longest links make a list of 250 KB.
  func submit(_ count: Int, token: String?, linkBytes: Int = 40) async throws {
    let batch = UUID()
    let link = "https://example.org/" + String(repeating: "a", count: linkBytes - 20)
    let reply = try await Producer(submit, token: token).submit(
      (0..<count).map { Draft(key: "\(batch)-\($0)", link: link) })
    #expect(reply.receipts.count == count && reply.receipts.allSatisfy { $0.outcome == .accepted })
  }
}
