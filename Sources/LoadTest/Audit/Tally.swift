import Domain
import Synchronization

/// The outcome and the latency of every post of a run. Any thread: connections, the subscriber's reactor and the audit
/// use it.
final class Tally: Sendable {
  /// The record of a post, in 32 bytes. An id of 0 means none.
  struct Record {
    /// Id in the server's response.
    var acceptedID: UInt64 = 0
    /// Id under which the subscriber saw the post first.
    var seenID: UInt64 = 0
    /// Id of the post in the store.
    var storedID: UInt64 = 0
    var storedState = Post.State.queued
    var flags: Flags = []
  }

  /// Findings about a post.
  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The subscriber saw the post under a second id.
    static let seenTwice = Flags(rawValue: 1)
    /// The store has the post under a second id.
    static let storedTwice = Flags(rawValue: 2)
    /// The store has the post under the id in the server's response.
    static let isFound = Flags(rawValue: 4)
  }

  /// The counts so far.
  struct Counts: Sendable {
    /// Posts that were sent at least once.
    var sent = 0
    var accepted = 0
    var refused = 0
    /// Attempts after the first attempt of a post.
    var retried = 0
    /// Posts without a response at the end of the run.
    var unanswered = 0
    /// Posts of the run that the subscriber saw.
    var seen = 0
    /// Failed attempts, including failed connects.
    var errors = 0
    /// Posts sent more than `LoadLimits.lateNs` after their due time.
    var late = 0
    /// Late posts for which no connection was free.
    var lateWaitingForConnection = 0
    /// Time of the last acceptance, in nanoseconds of `RunClock`.
    var lastAcceptedNs: Int64 = 0
    /// Number of refusals, by status and code.
    var refusals: [String: Int] = [:]
    /// Number of errors, by kind.
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
  /// Latency from a post's due time to its acceptance.
  var acceptLatency: Latency { state.withLock { $0.accept } }
  /// Latency from a post's due time to the subscriber.
  var feedLatency: Latency { state.withLock { $0.feed } }

  /// Records a post's first attempt.
  ///
  /// - Parameters:
  ///   - lateNs: Time since the post was due, in nanoseconds.
  ///   - waitedForConnection: True if no connection was free in time.
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

  /// Records the acceptance of a post, `latencyNs` after its due time.
  func accept(_ post: Int, id: PostID, latencyNs: Int64, nowNs: Int64) {
    state.withLock { state in
      state.counts.accepted += 1
      state.counts.lastAcceptedNs = max(state.counts.lastAcceptedNs, nowNs)
      state.records[post].acceptedID = id.rawValue
      state.accept.record(ns: latencyNs)
    }
  }

  /// Records a post in the subscriber's list, `latencyNs` after its due time. Later sightings change only `seenTwice`.
  func see(_ post: Int, id: PostID, latencyNs: Int64) {
    state.withLock { state in
      let seenID = state.records[post].seenID
      guard seenID == 0 else {
        if seenID != id.rawValue { state.records[post].flags.insert(.seenTwice) }
        return
      }
      state.records[post].seenID = id.rawValue
      state.counts.seen += 1
      state.feed.record(ns: latencyNs)
    }
  }

  /// Records a post of the store. A repeat changes only its state.
  ///
  /// - Returns: true if the post is settled, and was not settled before.
  func find(_ post: Int, id: PostID, state found: Post.State) -> Bool {
    state.withLock { state in
      let record = state.records[post]
      if record.acceptedID == id.rawValue { state.records[post].flags.insert(.isFound) }
      guard record.storedID == 0 || record.storedID == id.rawValue else {
        state.records[post].flags.insert(.storedTwice)
        return false
      }
      state.records[post].storedID = id.rawValue
      state.records[post].storedState = found
      return found != .queued && (record.storedID == 0 || record.storedState == .queued)
    }
  }

  /// Folds the records of all posts.
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
