import Domain
import Foundation
import Glibc

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Connection of swarms to a feed.
extension FeedBench {
  /// Starts waves until one reaches all members, because the feed handles subscriptions with a delay.
  static func awaitAll(of swarm: Swarm<some FeedStream>, publish: () throws -> Void) throws {
    try swarm.run(within: .seconds(30), awaiting: "a wave that reaches all subscribers") { _ in
      swarm.reset()
      let nowNs = Waves.nowNs
      swarm.waves.begin(nowNs: nowNs)
      try publish()
      while swarm.waves.open > 0, Waves.nowNs - nowNs < 1_000_000_000 { try swarm.read(waitMs: 10) }
      return swarm.waves.open == 0
    }
    // An earlier wave may still be in flight to some members.
    let quietNs = Waves.nowNs + 300_000_000
    while Waves.nowNs < quietNs { try swarm.read(waitMs: 10) }
  }

  static func hasStream(_ stage: BenchFeed) async throws -> Bool {
    let socket = try EventStream.connect(port: stage.httpPort)
    return String(decoding: try socket.read(exactly: 12), as: UTF8.self) == "HTTP/1.1 200"
  }

  /// The maximum number of streams: 10,000, or fewer if the limit of file descriptors makes the feed accept fewer.
  static var streamsMax: Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let connections = Int(limit.rlim_cur) / Limits.httpDescriptorsShare * Limits.httpDescriptorsSharesAlone
    return min(10_000, connections / 6 * 5)
  }

  /// Adds streams up to `count`, a hundred at a time, which fit the listen backlog.
  static func connectStreams(_ count: Int, to stage: BenchFeed, _ swarm: Swarm<EventStream>) throws {
    while swarm.members < count {
      for _ in 0..<min(100, count - swarm.members) { try swarm.add(EventStream.connect(port: stage.httpPort)) }
      try swarm.run(within: .seconds(30), awaiting: "the list at all streams") { _ in
        swarm.reaching(stage.seq) == swarm.members
      }
    }
  }

  /// Measures the feed's memory with 1,000 subscribers and 1,000 streams, before and after 40,000 changes. The changes
  /// come as fast as the subscribers read them.
  static func memory(folder: URL, into table: inout Table) async throws {
    let stage = try BenchFeed(folder: folder, entry: .usual)
    table.add("feed: memory alone MB (PSS)", stage.feed.megabytes)
    let subscribers = try Swarm<ZMTPStream>(counting: .numbers)
    let topics = ["d/", "h/", "s/"].map { "otm.feed/1/main/" + $0 }
    for _ in 0..<1_000 { try subscribers.add(ZMTPStream.connect(port: stage.publishPort, topics: topics)) }
    let streams = try Swarm<EventStream>(counting: .numbers)
    if try await hasStream(stage) {
      try connectStreams(1_000, to: stage, streams)
    } else {
      note("this feed has no /v2/feed/stream: measuring its memory without streams")
    }
    try awaitAll(of: subscribers) { stage.put() }
    table.add("feed: memory with 1,000 subscribers and \(streams.members) streams MB (PSS)", stage.feed.megabytes)
    subscribers.reset()
    var left = 40_000
    let deadline = ContinuousClock.now + .seconds(300)
    while left > 0 || subscribers.waves.open > 0 {
      guard ContinuousClock.now < deadline else { throw BenchError("not within 300 s: all changes at all subscribers") }
      while left > 0, subscribers.waves.open < 80 {
        subscribers.waves.begin(count: 20, nowNs: Waves.nowNs)
        stage.put(20)
        left -= 20
      }
      try subscribers.read(waitMs: 1)
      try streams.read(waitMs: 0)
    }
    if streams.members > 0 {
      try streams.run(within: .seconds(30), awaiting: "the last change at all streams") { _ in
        streams.reaching(stage.seq) == streams.members
      }
    }
    table.add("feed: memory with them after 40,000 changes MB (PSS)", stage.feed.megabytes)
  }
}
