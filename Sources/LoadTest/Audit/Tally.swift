import Domain
import Synchronization

/// What became of every post of a run, and how long it took. Any thread: connections, the subscriber's reactor, the
/// audit.
final class Tally: Sendable {
  /// One post: 32 bytes. An id of 0 means none.
  struct Record {
    /// The id that the server answered.
    var acceptedID: UInt64 = 0
    /// The id under which the subscriber saw it first.
    var seenID: UInt64 = 0
    /// The id under which the store has it.
    var storedID: UInt64 = 0
    var storedState = Post.State.queued
    var marks: Marks = []
  }

  struct Marks: OptionSet {
    let rawValue: UInt8
    /// The subscriber saw it under a second id.
    static let seenTwice = Marks(rawValue: 1)
    /// The store has it under a second id.
    static let storedTwice = Marks(rawValue: 2)
    /// The store has it under the id that the server answered.
    static let isFound = Marks(rawValue: 4)
  }

  /// Sums so far.
  struct Counts: Sendable {
    /// Posts that were sent at least once.
    var sent = 0
    var accepted = 0
    var refused = 0
    /// Attempts after a post's first.
    var retried = 0
    /// Posts without an answer when the time was over.
    var unanswered = 0
    /// Own posts that the subscriber saw.
    var seen = 0
    /// Failed attempts, and connections that could not be made.
    var errors = 0
    /// Posts sent more than `LoadLimits.lateNs` after they were due.
    var late = 0
    /// Those of them for which no connection was free.
    var lateWaitingForConnection = 0
    /// When the last post was accepted, of `RunClock`.
    var lastAcceptedNs: Int64 = 0
    /// Refusals by status and code.
    var refusals: [String: Int] = [:]
    /// Errors by what they are.
    var errorKinds: [String: Int] = [:]
  }

  private struct State {
    var records: [Record]
    var counts = Counts()
    var accept = Latency()
    var feed = Latency()
  }

  private let state: Mutex<State>

  init(posts: Int) { state = Mutex(State(records: Array(repeating: Record(), count: posts))) }

  var counts: Counts { state.withLock { $0.counts } }
  /// From a post's intended start to its acceptance.
  var acceptLatency: Latency { state.withLock { $0.accept } }
  /// From a post's intended start to the subscriber.
  var feedLatency: Latency { state.withLock { $0.feed } }

  /// A post's first attempt begins, `lateNs` after it was due. `waitedForConnection`: no connection took it in time.
  func send(lateNs: Int64, waitedForConnection: Bool) {
    state.withLock { state in
      state.counts.sent += 1
      guard lateNs > LoadLimits.lateNs else { return }
      state.counts.late += 1
      if waitedForConnection { state.counts.lateWaitingForConnection += 1 }
    }
  }

  func retry() { state.withLock { $0.counts.retried += 1 } }

  func fail(_ kind: String) {
    state.withLock { state in
      state.counts.errors += 1
      Tally.count(kind, in: &state.counts.errorKinds)
    }
  }

  func refuse(_ kind: String) {
    state.withLock { state in
      state.counts.refused += 1
      Tally.count(kind, in: &state.counts.refusals)
    }
  }

  func recordUnanswered() { state.withLock { $0.counts.unanswered += 1 } }

  /// A post was accepted, `latencyNs` after it was due.
  func accept(_ post: Int, id: PostID, latencyNs: Int64, nowNs: Int64) {
    state.withLock { state in
      state.counts.accepted += 1
      state.counts.lastAcceptedNs = max(state.counts.lastAcceptedNs, nowNs)
      state.records[post].acceptedID = id.rawValue
      state.accept.record(ns: latencyNs)
    }
  }

  /// The subscriber has a post in its list, `latencyNs` after it was due; or has it still, or again.
  func see(_ post: Int, id: PostID, latencyNs: Int64) {
    state.withLock { state in
      let seenID = state.records[post].seenID
      guard seenID == 0 else {
        if seenID != id.rawValue { state.records[post].marks.insert(.seenTwice) }
        return
      }
      state.records[post].seenID = id.rawValue
      state.counts.seen += 1
      state.feed.record(ns: latencyNs)
    }
  }

  /// The store has a post. Telling it again changes nothing but its state.
  ///
  /// - Returns: whether it is told as settled for the first time.
  func find(_ post: Int, id: PostID, state found: Post.State) -> Bool {
    state.withLock { state in
      let record = state.records[post]
      if record.acceptedID == id.rawValue { state.records[post].marks.insert(.isFound) }
      guard record.storedID == 0 || record.storedID == id.rawValue else {
        state.records[post].marks.insert(.storedTwice)
        return false
      }
      state.records[post].storedID = id.rawValue
      state.records[post].storedState = found
      return found != .queued && (record.storedID == 0 || record.storedState == .queued)
    }
  }

  /// Each post's record, to count what became of them.
  func reduce<Result: Sendable>(into result: Result, _ add: (inout Result, Record) -> Void) -> Result {
    state.withLock { state in
      var result = result
      for record in state.records { add(&result, record) }
      return result
    }
  }

  private static func count(_ kind: String, in kinds: inout [String: Int]) {
    kinds[kinds.count < LoadLimits.kindsMax || kinds[kind] != nil ? kind : "others", default: 0] += 1
  }
}
