import Domain
import Messaging

/// The conformance suite for subscribers of level 1: plays a feed, and the failover feed that it names.
struct SubscriberSuite: ConformanceSuite {
  typealias Rule = SubscriberRule
  typealias Step = ConformanceStep<SubscriberSuite>
  typealias Stimulus = SubscriberProbe.Stimulus

  /// An event of the subscriber.
  enum ReceivedMessage: Sendable {
    /// A message to a feed.
    ///
    /// - Parameter feed: 0 for the first feed, 1 for the failover feed.
    case message(SubscriberProbe.ReceivedMessage, feed: Int)
    /// A list that the program has printed.
    case printed(PrintedList)
  }

  /// A message with its time.
  struct Entry: Sendable {
    let atMs: Int64
    let message: SubscriberProbe.ReceivedMessage
  }

  struct Join: Sendable {
    let atMs: Int64
    let feed: Int
    /// Number of the connection, from 1.
    let connection: Int
    let nonce: String
  }

  /// The reply to a join.
  enum JoinReply { case nothing, wrongList, list }

  static let program = "subscriber"

  let failoverFeed: String
  var context: RunContext<SubscriberRule, Stimulus>
  /// Every start and end of a subscription.
  private(set) var log: [Entry] = []
  private(set) var joins: [Join] = []

  /// The feed's list.
  private(set) var list: FeedState
  private var known = KnownLists()
  private var epochCount: UInt8 = 0
  /// The feed to which the subscriber should be connected: 0 or 1.
  var feed = 0
  /// The reply to joins. The suite sends nothing before the first list.
  var joinReply = JoinReply.nothing
  /// True while the suite sends Heartbeats.
  var sendsHeartbeats = true
  /// True if Heartbeats are stale.
  var isStale = false
  private var beatMs: Int64
  private var lastSentMs: Int64
  private(set) var connections = 0
  /// Duration of the feed's silence before the subscriber's latest message, in milliseconds.
  private var silenceMs: Int64 = 0
  /// Time since which the subscriber has no subscription to changes. Nil while it has one.
  private var disconnectedMs: Int64?
  /// Time of the Bye before the feed's restart.
  private var byeMs: Int64 = 0
  /// True from the closing of the feed's port to the end of the step in which the subscriber returns.
  private var isRestarting = false
  /// Nonces of joins whose topics must be unsubscribed before a time.
  private var formerNonces: [(nonce: String, dueMs: Int64)] = []
  /// The latest list that the program printed as live. Nil before the first.
  private var printed: PrintedList?
  /// Number of joins and of connections at the start of the current step.
  private var stepStart = (joins: 0, connections: 0)

  /// Creates a suite.
  ///
  /// - Parameter failoverFeed: Address of the second feed.
  init(_ context: RunContext<SubscriberRule, Stimulus>, failoverFeed: String) {
    self.context = context
    self.failoverFeed = failoverFeed
    (beatMs, lastSentMs) = (context.nowMs, context.nowMs)
    list = SampleList.history(0, entries: UInt64(Limits.feedEntriesMax), after: 1_000)
    known.insert(list)
  }

  var hasReceivedMessage: Bool { !log.isEmpty }
  var name: String? { hasReceivedMessage ? "a subscriber" : nil }
  var rules: [SubscriberRule] { SubscriberRule.allCases.filter { context.hasProcess || $0 != .shown } }
  var hasDisconnected: Bool { !isRestarting && disconnectedMs.map { $0 < begunMs } ?? false }

  static func message(_ printed: PrintedList) -> ReceivedMessage? { .printed(printed) }

  func reason(for unjudged: SubscriberRule) -> String? {
    guard unjudged == .shown, exit == nil else { return nil }
    return "the subscriber's program does not print its list as JSON lines"
  }

  mutating func receive(_ message: ReceivedMessage) {
    switch message {
    case .message(let message, let feed): handle(message, at: feed)
    case .printed(let list): if list.isLive { handle(list) }
    }
  }

  mutating func tick() {
    if sendsHeartbeats, nowMs - beatMs >= Limits.feedHeartbeatMs { sendHeartbeat() }
    if let former = formerNonces.first, nowMs >= former.dueMs {
      judge(.unsubscribe, "\(former.nonce) is still subscribed \(Limits.inFlightToleranceMs) ms after the next join")
      formerNonces.removeFirst()
    }
    if let disconnectedMs, !isRestarting, nowMs - disconnectedMs > Limits.conformanceLivenessMs {
      context.stop(judging: !hasDisconnected)
    }
  }

  mutating func stepBegan() { stepStart = (joins.count, connections) }

  // MARK: - Judging

  mutating func judgeSubscriptions() {
    let topics = log.compactMap { entry in
      if case .subscribed(let subject) = entry.message { subject.name } else { nil }
    }
    judge(.subscriptions, topics == ["d/", "h/", "j/NONCE/"] ? nil : topics.joined(separator: ", "))
  }

  mutating func judgeSilence() {
    guard hasConnected else {
      let why = hasJoined ? "a join on the same connection" : "no new connection"
      return judge(.silence, "\(why) within \(nowMs - lastSentMs) ms of silence")
    }
    let isEarly = silenceMs < 3 * Limits.feedHeartbeatMs - 200
    judge(.silence, isEarly ? "a new connection after \(silenceMs) ms of silence" : nil)
  }

  /// Judges the first join since the Bye before the feed's restart.
  mutating func judgeJoin(afterPauseMs pauseMs: Int64) {
    let joinedMs = joinMsAfterBye
    let early = joinedMs.flatMap { $0 < pauseMs - 100 ? "a join after \($0) ms; retry_after_ms was \(pauseMs)" : nil }
    let missing = "no join within \(nowMs - byeMs) ms after a Bye with retry_after_ms \(pauseMs)"
    judge(.byePause, joinedMs == nil ? missing : early)
  }

  mutating func judgeRun() {
    if joins.count > 1 { judge(.newNonce, nil) }
    if zip(joins.dropFirst(), joins).contains(where: { $0.connection == $1.connection }) { judge(.unsubscribe, nil) }
    if isPrinted { judge(.shown, nil) }
  }

  // MARK: - Receiving

  /// Joins since the start of the step.
  var joinsInStep: ArraySlice<Join> { joins[stepStart.joins...] }
  var hasJoined: Bool { joins.count > stepStart.joins }
  /// True if the subscriber has connected since the start of the step, and has joined.
  var hasConnected: Bool { connections > stepStart.connections && hasJoined }
  /// Time of the first join since the Bye before the feed's restart, in milliseconds after it. Nil without a join.
  var joinMsAfterBye: Int64? { joins.first { $0.atMs > byeMs }.map { $0.atMs - byeMs } }
  var isConnected: Bool { disconnectedMs == nil }
  /// True if the subscriber has disconnected since the start of the step.
  var hasDisconnectedInStep: Bool { disconnectedMs.map { $0 >= begunMs } ?? false }

  private mutating func handle(_ message: SubscriberProbe.ReceivedMessage, at feed: Int) {
    log.append(Entry(atMs: nowMs, message: message))
    if log.count >= Limits.conformanceFramesMax {
      judge(.pause, "too many subscriptions: \(log.count) within \((nowMs - log[0].atMs) / 1_000) s")
      return context.stop()
    }
    if nowMs - lastSentMs > Limits.inFlightToleranceMs { silenceMs = nowMs - lastSentMs }
    switch message {
    case .subscribed(.delta):
      connections += 1
      disconnectedMs = nil
    case .unsubscribed(.delta): if feed == self.feed { disconnectedMs = nowMs }
    case .subscribed(.join(let nonce)): handle(join: nonce, at: feed)
    case .unsubscribed(.join(let nonce)): formerNonces.removeAll { $0.nonce == nonce }
    case .subscribed(.other(let topic)): judge(.subscriptions, "a subscription to \"\(topic)\"")
    default: break
    }
  }

  private mutating func handle(_ printed: PrintedList) {
    self.printed = printed
    if let fault = printed.fault { return judge(.shown, fault) }
    let hash = known.hash(printed.epoch, printed.seq).map { hexadecimal($0, digits: 16) }
    guard hash != printed.hash else { return }
    let why = hash.map { "but the feed's list has \($0)" } ?? "which the feed never had"
    judge(.shown, "a list of epoch \(printed.epoch), seq \(printed.seq) with stateHash \(printed.hash), \(why)")
  }

  private mutating func handle(join nonce: String, at feed: Int) {
    let isNonce =
      (1...Limits.joinNonceBytesMax).contains(nonce.utf8.count)
      && nonce.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
    judge(.nonce, isNonce ? nil : "NONCE \"\(nonce)\"")
    if let last = joins.last, last.connection == connections {
      if joins.contains(where: { $0.nonce == nonce }) { judge(.newNonce, "NONCE \(nonce) twice on one connection") }
      let isUnsubscribed = log.contains { $0.message == .unsubscribed(.join(last.nonce)) }
      if !isUnsubscribed { formerNonces.append((last.nonce, nowMs + Limits.inFlightToleranceMs)) }
    }
    joins.append(Join(atMs: nowMs, feed: feed, connection: connections, nonce: nonce))
    guard feed == self.feed else { return }
    switch joinReply {
    case .nothing: break
    case .list: sendList()
    case .wrongList: send(.snapshot(list, hash: list.hash ^ 1))
    }
  }

  // MARK: - Sending

  mutating func send(_ subject: SubscriberProbe.Subject, _ body: SubscriberProbe.Body) {
    send(Stimulus(feed: feed, subject: subject, body: body))
    lastSentMs = nowMs
  }

  mutating func send(_ frame: FeedReplica.Frame, in form: SubscriberProbe.Form = .plain) {
    switch frame {
    case .snapshot:
      // A Snapshot for a join has the topic of the join.
      guard let join = joins.last, join.feed == feed else { return }
      send(.join(join.nonce), .frame(frame, form))
    case .delta: send(.delta, .frame(frame, form))
    case .heartbeat, .bye, .unknown: send(.heartbeat, .frame(frame, form))
    }
  }

  /// Makes a change of the list, by default a new post, and sends it.
  mutating func sendChange(
    _ change: (FeedState) -> FeedChange = SampleList.post, in form: SubscriberProbe.Form = .plain
  ) {
    let before = list
    send(make(change(before)), onto: before, in: form)
  }

  /// Sends a delta that follows an earlier list, with the hash of the list after the delta.
  mutating func send(_ delta: FeedDelta, onto before: FeedState, in form: SubscriberProbe.Form = .plain) {
    var after = before
    after.apply(delta)
    send(.delta(delta, epoch: after.epoch, hash: after.hash), in: form)
  }

  mutating func sendList() { send(.snapshot(list, hash: list.hash)) }

  mutating func sendHeartbeat() {
    beatMs = nowMs
    send(.heartbeat(epoch: list.epoch, seq: list.seq, hash: list.hash, isStale: isStale))
  }

  /// Makes three changes, and sends only the last one.
  mutating func sendGap() {
    advance()
    advance()
    sendChange()
  }

  /// Sends a change, restores the list without the change, and sends Heartbeats of the restored list.
  mutating func returnToFormerList() {
    let former = list
    sendChange()
    sendList()
    list = former
    for _ in 0..<Limits.laggingHeartbeatsMax { sendHeartbeat() }
  }

  /// Sends several messages that each cause a desync. The subscriber joins after the first message, and ignores the
  /// others.
  mutating func sendDesyncs() {
    sendGap()
    sendHeartbeat()
    send(.heartbeat(epoch: list.epoch, seq: list.seq, hash: list.hash ^ 1))
    send(.bye(reason: "tested by onthemap conformance"))
  }

  /// Sends the Bye before the feed's restart.
  mutating func sendBye(retryAfterMs: Int64) {
    byeMs = nowMs
    send(.bye(reason: "tested by onthemap conformance", retryAfterMs: retryAfterMs))
  }

  /// Closes the feed's port, and ends all connections.
  mutating func closePort() {
    isRestarting = true
    context.effects.append(.closePort)
  }

  /// Ends the restart. The subscriber must be connected from now on.
  mutating func endRestart() {
    isRestarting = false
    if !isConnected { disconnectedMs = nowMs }
  }

  /// Ends a desync. A subscriber that has not joined also gets the list, so that the suite can judge the next rules.
  mutating func resume() {
    sendsHeartbeats = true
    beatMs = nowMs
    if hasJoined { return }
    advance()
    sendList()
  }

  // MARK: - The list

  /// True if the program has printed a list as live.
  var isPrinted: Bool { printed != nil }

  /// True if the latest list that the program printed as live is the feed's.
  var isPrintedAsLive: Bool { printed.map { $0.epoch == list.epoch.description && $0.seq == list.seq } ?? false }

  /// Adds a new post.
  @discardableResult
  mutating func advance() -> FeedDelta { make(SampleList.post(after: list)) }

  /// Adds a post with a sequence number, and skips the lower ones.
  mutating func skip(to seq: UInt64) { make(.upsert(SampleList.entry(seq))) }

  /// Returns the changes since an earlier list as one delta.
  func changes(since before: FeedState) -> FeedDelta {
    var after = before
    return after.apply(list.entries.filter { $0.seq > before.seq }.reversed().map { .upsert($0) })
  }

  /// Begins the epoch of another database, whose sequence numbers are lower.
  mutating func beginEpoch() {
    epochCount += 1
    list = SampleList.history(epochCount, entries: 5, after: 10)
    known.insert(list)
  }

  @discardableResult
  private mutating func make(_ change: FeedChange) -> FeedDelta {
    defer { known.insert(list) }
    return list.apply([change])
  }
}
