/// A closed-loop measurement: waves of changes to all members of a swarm, with at most `window` waves in flight.
struct ClosedLoop {
  let took: Durations
  let changesPerSecond: Double
  let bytesPerMessage: Double
  /// Mean number of changes in a message.
  let changesPerMessage: Double
  /// CPU time of the feed per delivered message, in µs.
  let cpuMicroseconds: Double

  /// - Parameters:
  ///   - restMs: Minimum time between the starts of two waves, in ms.
  ///   - publish: Starts a wave.
  init(
    _ swarm: Swarm<some FeedStream>, of feed: Program, window: Int, restMs: Int64 = 0, seconds: Int,
    publish: () throws -> Void
  ) throws {
    swarm.reset()
    let startNs = Waves.nowNs
    let endNs = startNs + UInt64(seconds) * 1_000_000_000
    var nextNs = startNs
    let cpu = feed.cpuSeconds
    try swarm.run(within: .seconds(seconds + 30), awaiting: "the last wave at all subscribers") { nowNs in
      while nowNs < endNs, nowNs >= nextNs, swarm.waves.onTheWay < window {
        nextNs = nowNs + UInt64(restMs) * 1_000_000
        swarm.waves.begin(nowNs: nowNs)
        try publish()
      }
      return nowNs >= endNs && swarm.waves.open == 0
    }
    let elapsed = Double(Waves.nowNs - startNs) / 1e9
    took = Durations(ns: swarm.waves.tookNs)
    let (changes, messages) = (Double(took.count * swarm.members), Double(max(1, swarm.messages)))
    changesPerSecond = changes / elapsed
    bytesPerMessage = Double(swarm.bytes) / messages
    changesPerMessage = changes / messages
    cpuMicroseconds = (feed.cpuSeconds - cpu) / messages * 1e6
  }
}
