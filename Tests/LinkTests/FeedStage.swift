import Synchronization

@testable import Link
@testable import OnTheMap

/// Ingest's end of the change log, on a reactor of its own.
struct TestChangeServer {
  let reactor: Reactor
  let endpoint: Endpoint
  let inbox: Inbox<[FeedEntry]>

  init(_ state: FeedState, bind: Endpoint? = nil, curve: CurveServer? = nil) throws {
    let wake = Wake()
    let inbox = Inbox<[FeedEntry]>(wake)
    let bind = try bind ?? .anyPort()
    (reactor, endpoint) = try Reactor.start("changes", wake: wake) { context in
      let server = try ChangeServer(context, bind: bind, state: state, inbox: inbox, curve: curve, logger: quiet)
      return ([server], server.endpoint)
    }
    self.inbox = inbox
  }
}

/// A feed's end of the change log alone, with what it was told.
final class TestChangeClient: Sendable {
  private struct Told {
    var state: FeedState?
    var lists = 0
    var seqs: [UInt64] = []
  }
  private let told: Shared<Told>
  let reactor: Reactor

  init(_ endpoint: Endpoint) throws {
    let told = Shared(Told())
    self.told = told
    (reactor, _) = try Reactor.start("feed", wake: Wake()) { context in
      let client = try ChangeClient(
        context, connect: endpoint, feed: "test", logger: quiet,
        replaced: { state, _ in
          told.change {
            $0.state = state
            $0.lists += 1
          }
        },
        changed: { change, state in
          told.change {
            $0.state = state
            $0.seqs += change.entries.map(\.seq)
          }
        })
      return ([client], ())
    }
  }

  var state: FeedState? { told.value.state }
  var lists: Int { told.value.lists }
  /// Numbers of the changes that came one by one.
  var seqs: [UInt64] { told.value.seqs }
}

/// A feed: it pulls from ingest and publishes, on one reactor.
struct TestFeed {
  let reactor: Reactor
  let endpoint: Endpoint
  private let told: Shared<Int>

  /// What it told ingest last.
  var subscribers: Int { told.value }

  init(
    pulling source: Endpoint, bind: Endpoint? = nil, pullCurve: CurveClient? = nil, curve: CurveServer? = nil
  ) throws {
    let bind = try bind ?? .anyPort()
    let told = Shared(0)
    self.told = told
    (reactor, endpoint) = try Reactor.start("feed", wake: Wake()) { context in
      let publisher = try FeedPublisher(
        context, bind: bind, instance: "test", curve: curve, logger: quiet, unixMs: { 0 })
      let client = try ChangeClient(
        context, connect: source, feed: "test", curve: pullCurve, logger: quiet,
        subscribers: {
          let count = publisher.subscribers
          told.change { $0 = count }
          return count
        },
        replaced: { publisher.replace($0, nowMs: $1) }, changed: { publisher.change($0, to: $1) })
      return ([client, publisher], publisher.endpoint)
    }
  }
}

/// A subscriber, with what it was told.
final class TestSubscriber: Sendable {
  private struct Told {
    var state: FeedState?
    var isLive = false
    var lists = 0
    var losses: [String] = []
    var seqs: [UInt64] = []
  }
  private let told: Shared<Told>
  let reactor: Reactor

  init(_ endpoint: Endpoint, curve: CurveClient? = nil) throws {
    let told = Shared(Told())
    self.told = told
    (reactor, _) = try Reactor.start("subscriber", wake: Wake()) { context in
      let subscriber = try FeedSubscriber(context, connect: endpoint, curve: curve, logger: quiet) { event in
        told.change { told in
          switch event {
          case .list(let state):
            (told.state, told.isLive) = (state, true)
            told.lists += 1
            told.seqs.append(state.seq)
          case .changes(let entries, let state):
            told.state = state
            told.seqs += entries.map(\.seq)
          case .lost(let reason):
            told.isLive = false
            told.losses.append(reason)
          }
        }
      }
      return ([subscriber], ())
    }
  }

  var state: FeedState? { told.value.state }
  var isLive: Bool { told.value.isLive }
  var lists: Int { told.value.lists }
  var losses: [String] { told.value.losses }
  /// The numbers that it stood at, one after the other.
  var seqs: [UInt64] { told.value.seqs }
}

/// A value that two threads look at.
final class Shared<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>
  init(_ value: Value) { mutex = Mutex(value) }
  var value: Value { mutex.withLock { $0 } }
  func change(_ body: (inout Value) -> Void) { mutex.withLock { body(&$0) } }
}
