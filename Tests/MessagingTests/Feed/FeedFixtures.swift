import Dispatch
import Logging
import Synchronization

@testable import Domain
@testable import Messaging

/// A change server on its own reactor.
struct TestChangeServer {
  let reactor: Reactor
  let endpoint: Endpoint
  let commands: CommandQueue<[FeedChange]>

  /// - Parameter isMute: True from the moment at which the server handles and sends nothing. Its connections stay open.
  init(
    _ state: FeedState, bind: Endpoint? = nil, generation: UInt32 = 1, isMute: Shared<Bool> = Shared(false),
    curve: CurveServer? = nil
  ) throws {
    let wake = WakeupEvent()
    let commands = CommandQueue<[FeedChange]>(wake)
    let bind = try bind ?? .lastingPort()
    (reactor, endpoint) = try Reactor.start("changes", wake: wake) { context in
      let server = try ChangeServer(
        context, bind: bind, state: state, generation: generation, committedChanges: commands, curve: curve,
        logger: quiet)
      return ([MutableSocket(server, isMute)], server.endpoint)
    }
    self.commands = commands
  }
}

/// A change client on its own reactor, which records what it receives.
final class TestChangeClient: Sendable {
  private struct Received {
    var state: FeedState?
    var lists = 0
    var seqs: [UInt64] = []
  }
  private let received: Shared<Received>
  let reactor: Reactor

  init(_ endpoints: Endpoint..., curve: CurveClient? = nil, logger: Logger = quiet) throws {
    let received = Shared(Received())
    self.received = received
    (reactor, _) = try Reactor.start("feed", wake: WakeupEvent()) { context in
      let client = try ChangeClient(
        context, connect: endpoints, feed: "test", curve: curve, logger: logger,
        replaced: { state, _ in
          received.change {
            $0.state = state
            $0.lists += 1
          }
        },
        changed: { changes, _, state in
          received.change {
            $0.state = state
            $0.seqs += changes.map(\.seq)
          }
        })
      return ([client], ())
    }
  }

  var state: FeedState? { received.value.state }
  var lists: Int { received.value.lists }
  /// Sequence numbers of the received changes.
  var seqs: [UInt64] { received.value.seqs }
}

/// A feed on one reactor, which pulls from ingest and publishes.
struct TestFeed {
  let reactor: Reactor
  let endpoint: Endpoint
  let query: Endpoint
  /// Counter of the bytes that subscribers have not read.
  let memory: FrameMemory
  private let reportedSubscribers: Shared<Int>

  /// The number of subscribers that the feed last reported to ingest.
  var subscribers: Int { reportedSubscribers.value }

  init(
    pulling source: Endpoint, bind: Endpoint? = nil, failoverEndpoints: [Endpoint] = [], snapshot: FeedState? = nil,
    queriesPerSecond: Int = Limits.feedQueriesPerSecondMax, unreadBytesMax: Int = Limits.feedUnreadBytesMax,
    logger: Logger = quiet,
    pullCurve: CurveClient? = nil, curve: CurveServer? = nil
  ) throws {
    let bind = try bind ?? .lastingPort()
    let reportedSubscribers = Shared(0)
    self.reportedSubscribers = reportedSubscribers
    let queryBind = try Endpoint.anyPort()
    let endpoints: (Endpoint, Endpoint, FrameMemory)
    (reactor, endpoints) = try Reactor.start("feed", wake: WakeupEvent(), ioThreads: 2) { context in
      let publisher = try FeedPublisher(
        context, bind: bind, instance: "test", failoverEndpoints: failoverEndpoints, curve: curve,
        unreadBytesMax: unreadBytesMax, logger: logger, unixMs: { 0 })
      let query = try FeedQueryServer(
        context, bind: queryBind, perSecond: queriesPerSecond, curve: curve, logger: quiet)
      if let snapshot {
        query.replace(snapshot)
        publisher.replace(snapshot, nowMs: Reactor.nowMs)
      }
      let client = try ChangeClient(
        context, connect: [source], feed: "test", snapshot: snapshot, curve: pullCurve, logger: quiet,
        subscribers: {
          let count = publisher.subscribers
          reportedSubscribers.change { $0 = count }
          return count
        },
        turnedStale: { isStale, nowMs in
          publisher.set(isStale: isStale, nowMs: nowMs)
          query.set(isStale: isStale)
        },
        replaced: { state, nowMs in
          query.replace(state)
          publisher.replace(state, nowMs: nowMs)
        },
        changed: { changes, delta, state in
          query.change(changes, to: state)
          publisher.change(delta, to: state, minAfterSeq: query.minAfterSeq)
        })
      return ([client, publisher, query], (publisher.endpoint, query.endpoint, publisher.memory))
    }
    (endpoint, query, memory) = endpoints
  }
}

/// A subscriber on its own reactor, which records what it receives.
final class TestSubscriber: Sendable {
  private struct Received {
    var state: FeedState?
    var isLive = false
    var isStale = false
    var lists = 0
    var desyncs: [DesyncReason] = []
    var seqs: [UInt64] = []
    var sinceList: [UInt64] = []
  }
  private let received: Shared<Received>
  private let startMs = Reactor.nowMs
  private let ticker = Ticker.shared
  let reactor: Reactor

  init(_ endpoints: Endpoint..., startsAnywhere: Bool = false, curve: CurveClient? = nil) throws {
    let received = Shared(Received())
    self.received = received
    (reactor, _) = try Reactor.start("subscriber", wake: WakeupEvent()) { context in
      let subscriber = try FeedSubscriber(
        context, connect: endpoints, startsAnywhere: startsAnywhere, curve: curve, logger: quiet
      ) { event in
        received.change { received in
          switch event {
          case .list(let state, let isStale):
            (received.state, received.isLive, received.isStale) = (state, true, isStale)
            received.lists += 1
            received.seqs.append(state.seq)
            received.sinceList = [state.seq]
          case .changes(let delta, let state):
            received.state = state
            received.seqs += delta.upsert.map(\.seq)
            received.sinceList += delta.upsert.map(\.seq)
          case .stale(let isStale): received.isStale = isStale
          case .desynced(let reason):
            received.isLive = false
            received.desyncs.append(reason)
          }
        }
      }
      return ([subscriber], ())
    }
  }

  var state: FeedState? { received.value.state }
  var isLive: Bool { received.value.isLive }
  var isStale: Bool { received.value.isStale }
  var lists: Int { received.value.lists }
  var desyncs: [DesyncReason] { received.value.desyncs }
  /// Sequence numbers of all received lists and changes, in order.
  var seqs: [UInt64] { received.value.seqs }
  /// Sequence numbers of the last list and of the changes after it.
  var sinceList: [UInt64] { received.value.sinceList }
  /// True if the subscriber got one list and had no desync. On a machine that stalls for 3 s a subscriber times out and
  /// joins again. Such desyncs are allowed if the machine did stall and enough time has passed for them.
  var isUndisturbed: Bool {
    let received = received.value
    let silentMs = Int64(received.desyncs.count) * 3 * Limits.feedHeartbeatMs
    let isExcused = received.desyncs.isEmpty || silentMs <= Reactor.nowMs - startMs && ticker.wasLate(since: startMs)
    return received.desyncs.allSatisfy { $0 == .timedOut } && isExcused
      && received.lists == received.desyncs.count + (received.isLive ? 1 : 0)
  }
}

/// A clock that ticks every 100 ms. A late tick means that the machine stalled.
final class Ticker: Sendable {
  private struct Ticks {
    var lastMs = Reactor.nowMs
    /// The time of the last late tick. Nil for none.
    var lateMs: Int64?

    /// Returns true if the next tick is more than 500 ms late. A subscriber times out when heartbeats are 2 s late, and
    /// several threads may share that delay.
    func isLate(nowMs: Int64) -> Bool { nowMs - lastMs > 600 }
  }

  static let shared = Ticker()
  private let queue = DispatchQueue(label: "ticker")
  private let ticks = Shared(Ticks())

  private init() { tick() }

  private func tick() {
    let nowMs = Reactor.nowMs
    ticks.change { ticks in
      if ticks.isLate(nowMs: nowMs) { ticks.lateMs = nowMs }
      ticks.lastMs = nowMs
    }
    queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in tick() }
  }

  /// Returns true if a tick was late after `startMs`, or is late now.
  func wasLate(since startMs: Int64) -> Bool {
    let ticks = ticks.value
    return ticks.lateMs ?? .min >= startMs || ticks.isLate(nowMs: Reactor.nowMs)
  }
}

/// A value that threads share.
final class Shared<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>
  init(_ value: Value) { mutex = Mutex(value) }
  var value: Value { mutex.withLock { $0 } }
  func change(_ body: (inout Value) -> Void) { mutex.withLock { body(&$0) } }
}
