import Dispatch
import Logging
import Synchronization

@testable import Domain
@testable import Messaging

/// Ingest's end of the change log, on a reactor of its own.
struct TestChangeServer {
  let reactor: Reactor
  let endpoint: Endpoint
  let inbox: CommandQueue<[FeedChange]>

  init(_ state: FeedState, bind: Endpoint? = nil, curve: CurveServer? = nil) throws {
    let wake = WakeupEvent()
    let inbox = CommandQueue<[FeedChange]>(wake)
    let bind = try bind ?? .lastingPort()
    (reactor, endpoint) = try Reactor.start("changes", wake: wake) { context in
      let server = try ChangeServer(context, bind: bind, state: state, inbox: inbox, curve: curve, logger: quiet)
      return ([server], server.endpoint)
    }
    self.inbox = inbox
  }
}

/// A feed's end of the change log alone, with what it was told.
final class TestChangeClient: Sendable {
  private struct Received {
    var state: FeedState?
    var lists = 0
    var seqs: [UInt64] = []
  }
  private let received: Shared<Received>
  let reactor: Reactor

  init(_ endpoint: Endpoint, curve: CurveClient? = nil, logger: Logger = quiet) throws {
    let told = Shared(Received())
    self.received = told
    (reactor, _) = try Reactor.start("feed", wake: WakeupEvent()) { context in
      let client = try ChangeClient(
        context, connect: endpoint, feed: "test", curve: curve, logger: logger,
        replaced: { state, _ in
          told.change {
            $0.state = state
            $0.lists += 1
          }
        },
        changed: { changes, _, state in
          told.change {
            $0.state = state
            $0.seqs += changes.map(\.seq)
          }
        })
      return ([client], ())
    }
  }

  var state: FeedState? { received.value.state }
  var lists: Int { received.value.lists }
  /// Numbers of the changes that came one by one.
  var seqs: [UInt64] { received.value.seqs }
}

/// A feed: it pulls from ingest and publishes, on one reactor.
struct TestFeed {
  let reactor: Reactor
  let endpoint: Endpoint
  let query: Endpoint
  /// Counts what subscribers leave unread.
  let memory: FrameMemory
  private let told: Shared<Int>

  /// What it told ingest last.
  var subscribers: Int { told.value }

  init(
    pulling source: Endpoint, bind: Endpoint? = nil, alternates: [Endpoint] = [], snapshot: FeedState? = nil,
    queriesPerSecond: Int = Limits.feedQueriesPerSecondMax, unreadBytesMax: Int = Limits.feedUnreadBytesMax,
    logger: Logger = quiet,
    pullCurve: CurveClient? = nil, curve: CurveServer? = nil
  ) throws {
    let bind = try bind ?? .lastingPort()
    let told = Shared(0)
    self.told = told
    let queryBind = try Endpoint.anyPort()
    let endpoints: (Endpoint, Endpoint, FrameMemory)
    (reactor, endpoints) = try Reactor.start("feed", wake: WakeupEvent(), ioThreads: 2) { context in
      let publisher = try FeedPublisher(
        context, bind: bind, instance: "test", alternates: alternates, curve: curve, unreadBytesMax: unreadBytesMax,
        logger: logger, unixMs: { 0 })
      let query = try FeedQueryServer(
        context, bind: queryBind, perSecond: queriesPerSecond, curve: curve, logger: quiet)
      if let snapshot {
        query.replace(snapshot)
        publisher.replace(snapshot, nowMs: Reactor.nowMs)
      }
      let client = try ChangeClient(
        context, connect: source, feed: "test", snapshot: snapshot, curve: pullCurve, logger: quiet,
        subscribers: {
          let count = publisher.subscribers
          told.change { $0 = count }
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
          publisher.change(delta, to: state, ringFrom: query.ringFrom)
        })
      return ([client, publisher, query], (publisher.endpoint, query.endpoint, publisher.memory))
    }
    (endpoint, query, memory) = endpoints
  }
}

/// A subscriber, with what it was told.
final class TestSubscriber: Sendable {
  private struct Received {
    var state: FeedState?
    var isLive = false
    var isStale = false
    var lists = 0
    var losses: [DesyncReason] = []
    var seqs: [UInt64] = []
    var sinceList: [UInt64] = []
  }
  private let received: Shared<Received>
  private let startMs = Reactor.nowMs
  private let ticker = Ticker.shared
  let reactor: Reactor

  init(_ endpoints: Endpoint..., curve: CurveClient? = nil) throws {
    let told = Shared(Received())
    self.received = told
    (reactor, _) = try Reactor.start("subscriber", wake: WakeupEvent()) { context in
      let subscriber = try FeedSubscriber(context, connect: endpoints, curve: curve, logger: quiet) { event in
        told.change { told in
          switch event {
          case .list(let state, let isStale):
            (told.state, told.isLive, told.isStale) = (state, true, isStale)
            told.lists += 1
            told.seqs.append(state.seq)
            told.sinceList = [state.seq]
          case .changes(let delta, let state):
            told.state = state
            told.seqs += delta.upsert.map(\.seq)
            told.sinceList += delta.upsert.map(\.seq)
          case .stale(let isStale): told.isStale = isStale
          case .desynced(let loss):
            told.isLive = false
            told.losses.append(loss)
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
  var desyncs: [DesyncReason] { received.value.losses }
  /// The numbers that it stood at, one after the other.
  var seqs: [UInt64] { received.value.seqs }
  /// The number of its last list, and the numbers of the changes behind it.
  var sinceList: [UInt64] { received.value.sinceList }
  /// True if it has had one list and lost nothing. On a machine that stands still for 3 s a subscriber finds its feed
  /// silent and joins anew. Such losses are allowed if the machine did stand still and the time suffices for them.
  var isUndisturbed: Bool {
    let told = received.value
    let silentMs = Int64(told.losses.count) * 3 * Limits.feedHeartbeatMs
    let isExcused = told.losses.isEmpty || silentMs <= Reactor.nowMs - startMs && ticker.wasLate(since: startMs)
    return told.losses.allSatisfy { $0 == .timedOut } && isExcused
      && told.lists == told.losses.count + (told.isLive ? 1 : 0)
  }
}

/// A clock that ticks every 100 ms. Where it ticks late, the machine stood still.
final class Ticker: Sendable {
  private struct Ticks {
    var lastMs = Reactor.nowMs
    /// The time of the last tick that was late; nil for none.
    var lateMs: Int64?

    /// A feed's heartbeats are 2 s late before a subscriber finds it silent. Several threads may share that delay, so
    /// half a second is late.
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

  /// Returns true if a tick was late since a time, or is late now.
  func wasLate(since startMs: Int64) -> Bool {
    let ticks = ticks.value
    return ticks.lateMs ?? .min >= startMs || ticks.isLate(nowMs: Reactor.nowMs)
  }
}

/// A value that two threads look at.
final class Shared<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>
  init(_ value: Value) { mutex = Mutex(value) }
  var value: Value { mutex.withLock { $0 } }
  func change(_ body: (inout Value) -> Void) { mutex.withLock { body(&$0) } }
}
