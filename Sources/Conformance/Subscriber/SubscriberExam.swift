import Domain
import Messaging

/// An examination of a subscriber that somebody else has written: what a feed tells it, step by step, and which rules
/// its subscriptions keep. Without sockets or clock. Times are milliseconds of a clock that never goes back.
struct SubscriberExam: Sendable {
  typealias Demand = SubscriberProbe.Demand
  typealias Subject = SubscriberProbe.Subject
  typealias Said = SubscriberProbe.Said
  typealias Body = SubscriberProbe.Body
  typealias Form = SubscriberProbe.Form
  typealias Shown = PrintedList

  /// A join that has come.
  struct Join: Sendable {
    let atMs: Int64
    let feed: Int
    /// Which of the connections that there have been, from 1.
    let connection: Int
    let nonce: String
  }

  /// Something heard, and when.
  struct Entry: Sendable {
    let atMs: Int64
    let feed: Int
    let demand: Demand
  }

  /// What a join brings.
  enum Answer { case nothing, wrongList, list }

  let waitMs: Int64
  let alternate: String
  let hasProcess: Bool
  private(set) var log: [Entry] = []
  private(set) var joins: [Join] = []
  private(set) var nowMs: Int64
  private(set) var verdicts: [SubscriberRule: ConformanceReport.Verdict] = [:]

  /// The list as the feed has it.
  private(set) var list: FeedState
  /// The hashes of the lists that there have been, by epoch and number.
  private var truths: [String: String] = [:]
  private var histories: UInt8 = 0
  /// The feed that the subscriber is to be at: 0 or 1.
  var feed = 0
  /// What a join brings; nothing before the list is told at all.
  var answer = Answer.nothing
  /// Whether Heartbeats come.
  var isBeating = true
  /// True if Heartbeats are stale.
  var isStale = false
  private var beatMs: Int64
  private var spokeMs: Int64
  private(set) var connections = 0
  /// How long nothing had been said when it last asked for something.
  private var silenceMs: Int64 = 0
  /// Since when nobody subscribes to changes; nil while somebody does.
  private var goneMs: Int64?
  /// Join topics that are given up within this time.
  private var formerNonces: [(nonce: String, dueMs: Int64)] = []
  private(set) var isShown = false
  /// Epoch and number of the latest list that the subscriber printed as live.
  private var liveKey = ""
  /// The process has ended: with what exit code, or the signal's number, negative.
  private(set) var exit: Int32?
  private var said: [Said] = []
  private var next = 0
  private var hasBegun = false
  /// When the present step began, and how much had been heard.
  private(set) var begunMs: Int64 = 0
  private var mark = (joins: 0, connections: 0)

  /// - Parameters:
  ///   - waitMs: how long the subscriber may take to come.
  ///   - alternate: the address of the second feed.
  ///   - hasProcess: whether its output is seen.
  init(waitMs: Int64, alternate: String, hasProcess: Bool, nowMs: Int64) {
    self.waitMs = waitMs
    self.alternate = alternate
    self.hasProcess = hasProcess
    self.nowMs = nowMs
    (beatMs, spokeMs) = (nowMs, nowMs)
    list = ExamList.history(0, entries: UInt64(Limits.feedEntriesMax), after: 1_000)
    truths[SubscriberExam.key(list)] = hexadecimal(list.hash, digits: 16)
  }

  /// Whether all that could be seen has been seen.
  var isOver: Bool { next >= SubscriberExam.steps.count }

  /// Whether a subscriber has come.
  var hasCome: Bool { !log.isEmpty }

  /// What came out of it. Complete when it is over.
  var conformance: ConformanceReport {
    ConformanceReport(
      findings: SubscriberRule.allCases.filter { hasProcess || $0 != .shown }.map { rule in
        let end = exit.map { "the subscriber's process ended, \(WorkerExam.words(ofExit: $0))" }
        var why = end ?? (log.isEmpty ? "no subscriber came" : "the subscriber did not get that far")
        if rule == .shown, end == nil { why = "the subscriber's program prints no JSON lines that tell its list" }
        return ConformanceReport.Finding(rule: rule.rule, verdict: verdicts[rule] ?? .notShown(why: why))
      })
  }

  /// The subscriber has asked something of a feed, 0 or 1.
  mutating func hear(_ demand: Demand, feed: Int, nowMs: Int64) {
    self.nowMs = nowMs
    guard !isOver else { return }
    log.append(Entry(atMs: nowMs, feed: feed, demand: demand))
    if log.count >= Limits.examFramesMax {
      judge(.pause, "\(log.count) subscriptions within \((nowMs - log[0].atMs) / 1_000) s, which nobody asked for")
      return stop()
    }
    if nowMs - spokeMs > WorkerExam.crossingMs { silenceMs = nowMs - spokeMs }
    switch demand {
    case .subscribed(.delta):
      connections += 1
      goneMs = nil
    case .unsubscribed(.delta): if feed == self.feed { goneMs = nowMs }
    case .subscribed(.join(let nonce)): take(join: nonce, at: feed)
    case .unsubscribed(.join(let nonce)): formerNonces.removeAll { $0.nonce == nonce }
    case .subscribed(.other(let topic)): judge(.subscriptions, "a subscription to \"\(topic)\"")
    default: break
    }
    advanceSteps()
  }

  /// The subscriber's program has told a list.
  mutating func show(_ shown: Shown, nowMs: Int64) {
    self.nowMs = nowMs
    guard !isOver, shown.isLive else { return }
    isShown = true
    liveKey = "\(shown.epoch)/\(shown.seq)"
    if let fault = shown.fault { return judge(.shown, fault) }
    let told = truths[liveKey]
    guard told != shown.hash else { return }
    let why = told.map { "where the feed's has \($0)" } ?? "which the feed's never stood at"
    judge(.shown, "a list of epoch \(shown.epoch), seq \(shown.seq) with stateHash \(shown.hash), \(why)")
  }

  /// The subscriber's process has ended.
  ///
  /// - Parameter code: its exit code, or the signal's number, negative.
  mutating func ended(_ code: Int32, nowMs: Int64) {
    self.nowMs = nowMs
    guard exit == nil, !isOver else { return }
    exit = code
    if hasBegun { SubscriberExam.steps[next].judge(&self) }
    stop()
  }

  /// Does what time asks for. To be called every 50 ms at least.
  mutating func tick(nowMs: Int64) {
    self.nowMs = nowMs
    guard !isOver else { return }
    if isBeating, nowMs - beatMs >= Limits.feedHeartbeatMs { tellHeartbeat() }
    if let former = formerNonces.first, nowMs >= former.dueMs {
      judge(.unsubscribe, "\(former.nonce) is still subscribed to \(WorkerExam.crossingMs) ms after the next join")
      formerNonces.removeFirst()
    }
    if let goneMs, nowMs - goneMs > Limits.examLivenessMs {
      if hasBegun, goneMs >= begunMs { SubscriberExam.steps[next].judge(&self) }
      return stop()
    }
    advanceSteps()
  }

  /// What is to be said now, once.
  mutating func takeSaid() -> [Said] {
    defer { said = [] }
    return said
  }

  // MARK: - Steps

  private mutating func advanceSteps() {
    while !isOver {
      let step = SubscriberExam.steps[next]
      if !hasBegun {
        (hasBegun, begunMs, mark) = (true, nowMs, (joins.count, connections))
        step.begin(&self)
      }
      guard step.isDone(self) || nowMs - begunMs >= step.limitMs ?? waitMs else { return }
      // What ended it is found already; no other rule is to be blamed for it.
      if let goneMs, goneMs < begunMs { return stop() }
      step.judge(&self)
      guard !isOver else { return }
      next += 1
      hasBegun = false
      if isOver { judgeAll() }
    }
  }

  /// Ends it before the last step.
  mutating func stop() {
    next = SubscriberExam.steps.count
    judgeAll()
  }

  /// A rule that was once seen broken stays so.
  ///
  /// - Parameter seen: what was seen against it; nil where it holds.
  mutating func judge(_ rule: SubscriberRule, _ seen: String?) {
    if case .doesNotHold? = verdicts[rule] { return }
    let end = exit.map { "; its process had ended, \(WorkerExam.words(ofExit: $0))" }
    verdicts[rule] = seen.map { .doesNotHold(seen: $0 + (end ?? "")) } ?? .holds
  }

  mutating func judgeSubscriptions() {
    let topics = log.compactMap { entry in
      if case .subscribed(let subject) = entry.demand { subject.word } else { nil }
    }
    judge(.subscriptions, topics == ["d/", "h/", "j/NONCE/"] ? nil : topics.joined(separator: ", "))
  }

  mutating func judgeSilence() {
    guard hasConnected else {
      let why = hasJoined ? "a join on the same connection" : "no new connection"
      return judge(.silence, "\(why) within \(nowMs - spokeMs) ms of silence")
    }
    let isEarly = silenceMs < 3 * Limits.feedHeartbeatMs - 200
    judge(.silence, isEarly ? "a new connection after \(silenceMs) ms" : nil)
  }

  private mutating func judgeAll() {
    if joins.count > 1 { judge(.newNonce, nil) }
    if zip(joins.dropFirst(), joins).contains(where: { $0.connection == $1.connection }) { judge(.unsubscribe, nil) }
    if isShown { judge(.shown, nil) }
  }

  // MARK: - Hearing

  /// Joins since the step began.
  var joinsSinceBegin: ArraySlice<Join> { joins[mark.joins...] }
  var hasJoined: Bool { joins.count > mark.joins }
  /// Whether it has connected since the step began, and joined there.
  var hasConnected: Bool { connections > mark.connections && hasJoined }
  /// Whether it has gone since the step began.
  var isGone: Bool { goneMs.map { $0 >= begunMs } ?? false }

  private mutating func take(join nonce: String, at feed: Int) {
    let isNonce =
      (1...Limits.joinNonceBytesMax).contains(nonce.utf8.count)
      && nonce.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
    judge(.nonce, isNonce ? nil : "\"\(nonce)\"")
    if let last = joins.last, last.connection == connections {
      if joins.contains(where: { $0.nonce == nonce }) { judge(.newNonce, "\(nonce) twice on one connection") }
      let isUnsubscribed = log.contains { $0.demand == .unsubscribed(.join(last.nonce)) }
      if !isUnsubscribed { formerNonces.append((last.nonce, nowMs + WorkerExam.crossingMs)) }
    }
    joins.append(Join(atMs: nowMs, feed: feed, connection: connections, nonce: nonce))
    guard feed == self.feed else { return }
    switch answer {
    case .nothing: break
    case .list: tellList()
    case .wrongList: tell(.snapshot(list, hash: list.hash ^ 1))
    }
  }

  // MARK: - Saying

  mutating func say(_ subject: Subject, _ body: Body) {
    said.append(Said(feed: feed, subject: subject, body: body))
    spokeMs = nowMs
  }

  mutating func tell(_ frame: FeedReplica.Frame, in form: Form = .plain) {
    switch frame {
    case .snapshot:
      // Nobody else has that topic.
      guard let join = joins.last, join.feed == feed else { return }
      say(.join(join.nonce), .frame(frame, form))
    case .delta: say(.delta, .frame(frame, form))
    case .heartbeat, .bye, .later: say(.heartbeat, .frame(frame, form))
    }
  }

  /// A change of a list, with the hash of what it makes of it.
  mutating func tell(_ delta: FeedDelta, onto before: FeedState, in form: Form = .plain) {
    var after = before
    after.apply(delta)
    tell(.delta(delta, epoch: after.epoch, hash: after.hash), in: form)
  }

  mutating func tellList() { tell(.snapshot(list, hash: list.hash)) }

  mutating func tellHeartbeat() {
    beatMs = nowMs
    tell(.heartbeat(epoch: list.epoch, seq: list.seq, hash: list.hash, isStale: isStale))
  }

  /// A change after two that nobody tells.
  mutating func tellGap() {
    advance()
    advance()
    let before = list
    tell(advance(), onto: before)
  }

  /// A change, after which the feed stands where it stood before, and stays there.
  mutating func goBack() {
    let before = list
    tell(advance(), onto: before)
    tellList()
    list = before
    for _ in 0..<Limits.lowerHeartbeatsMax { tellHeartbeat() }
  }

  /// A loss in whatever way the subscriber sees one; after the first it is to ignore the rest.
  mutating func tellLosses() {
    tellGap()
    tellHeartbeat()
    tell(.heartbeat(epoch: list.epoch, seq: list.seq, hash: list.hash ^ 1))
    tell(.bye(reason: "examined by onthemap conform"))
  }

  /// After a loss: to who has not joined the list is told unasked, so that what comes next is not blamed on it.
  mutating func goOn() {
    isBeating = true
    beatMs = nowMs
    if hasJoined { return }
    advance()
    tellList()
  }

  // MARK: - The list

  /// True if the subscriber's program has printed the current list as live.
  var isToldAsLive: Bool { liveKey == SubscriberExam.key(list) }

  /// A new post.
  @discardableResult
  mutating func advance() -> FeedDelta { make(.put(entry(list.seq + 1))) }

  /// The newest but one is deleted, and what had left the list comes back.
  mutating func delete() -> FeedDelta {
    let oldest = list.entries[list.entries.count - 1].seq
    return make(.gone(list.entries[1].id, seq: list.seq + 1, next: entry(oldest - 1)))
  }

  /// A post in the middle of the list is edited.
  mutating func edit() -> FeedDelta {
    make(.put(ExamList.entry(list.seq + 1, id: list.entries[list.entries.count / 2].id.rawValue)))
  }

  /// What has changed since an earlier list, in one.
  func changes(since before: FeedState) -> FeedDelta {
    var after = before
    return after.apply(list.entries.filter { $0.seq > before.seq }.reversed().map { .put($0) })
  }

  /// A new post of that number, and of none before.
  mutating func skip(to seq: UInt64) { make(.put(entry(seq))) }

  /// Another database, whose numbers are lower.
  mutating func beginHistory() {
    histories += 1
    list = ExamList.history(histories, entries: 5, after: 10)
    remember()
  }

  func entry(_ seq: UInt64) -> FeedEntry { ExamList.entry(seq) }

  @discardableResult
  private mutating func make(_ change: FeedChange) -> FeedDelta {
    defer { remember() }
    return list.apply([change])
  }

  private mutating func remember() { truths[SubscriberExam.key(list)] = hexadecimal(list.hash, digits: 16) }
}

extension SubscriberExam {
  fileprivate static func key(_ list: FeedState) -> String { "\(list.epoch)/\(list.seq)" }
}
