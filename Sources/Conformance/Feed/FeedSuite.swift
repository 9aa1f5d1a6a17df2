import Domain
import Messaging

/// The conformance suite for feeds: plays ingest's end of the change log, three subscribers and a query client.
struct FeedSuite: ConformanceSuite {
  typealias Rule = FeedRule
  typealias Step = ConformanceStep<FeedSuite>
  typealias ReceivedMessage = FeedProbe.ReceivedMessage
  typealias Stimulus = FeedProbe.Stimulus
  typealias Fetch = FeedProbe.Fetch
  typealias Subject = FeedProbe.Subject
  typealias Query = FeedProbe.Query
  typealias Reply = FeedProbe.Reply

  /// A frame to a subscriber, with its time.
  struct Publication: Sendable {
    let atMs: Int64
    let subscriber: Int
    let subject: Subject
    let frame: FeedReplica.Frame
  }

  static let program = "feed"

  /// True if the feed's query address is known.
  let hasQueryAddress: Bool
  var context: RunContext<FeedRule, Stimulus>
  private(set) var fetches: [(atMs: Int64, fetch: Fetch)] = []
  private(set) var publications: [Publication] = []
  private(set) var replies: [UInt64: Reply] = [:]
  /// Number of publications and of fetches at the start of the current step.
  private var stepStart = (publications: 0, fetches: 0)

  /// Ingest's change log.
  private(set) var log: ChangeLog
  /// The first list of this epoch.
  private(set) var first: FeedState
  private(set) var formerEpoch: Epoch
  private var known = KnownLists()
  private var epochCount: UInt8 = 0
  /// The fetch that waits for its reply.
  private(set) var open: Fetch?
  private var openMs: Int64 = 0
  /// The feed's list according to the replies that the suite has sent. Nil before the first reply.
  private var feedList: (epoch: Epoch, seq: UInt64)?
  /// True while the suite replies to fetches like ingest.
  var repliesToFetches = false
  /// True while the suite makes changes all the time.
  var isBusy = false
  private var changedMs: Int64 = 0
  private var hasJoinedMidway = false
  /// Time of ingest's last reply.
  private(set) var repliedMs: Int64
  /// The lists of the two subscribers that follow the feed.
  private var replicas: [FeedReplica]
  /// The first desync of each subscriber since the start of the step.
  private(set) var desyncs: [String?] = [nil, nil]
  /// Fault of the step's first published list that ingest never had. Nil if there is none.
  private(set) var unknownListFault: String?
  private var sentQueries: [(id: UInt64, query: Query)] = []
  private var queryCount: UInt64 = 0

  /// Creates a suite.
  ///
  /// - Parameter hasQueryAddress: True if the feed's query address is known.
  init(_ context: RunContext<FeedRule, Stimulus>, hasQueryAddress: Bool) {
    self.context = context
    self.hasQueryAddress = hasQueryAddress
    repliedMs = context.nowMs
    replicas = [FeedReplica(nowMs: context.nowMs), FeedReplica(nowMs: context.nowMs)]
    first = SampleList.history(0, entries: UInt64(Limits.feedEntriesMax), after: 1_000)
    formerEpoch = SampleList.history(9, entries: 1, after: 1).epoch
    log = ChangeLog(state: first)
    known.insert(first)
  }

  var hasReceivedMessage: Bool { !fetches.isEmpty }
  var name: String? { fetches.first?.fetch.feed }
  var rules: [FeedRule] {
    FeedRule.allCases.filter { rule in
      (context.hasProcess || rule != .goodbye) && (hasQueryAddress || !FeedRule.queries.contains(rule))
    }
  }
  /// True if the feed started with a list of an earlier run.
  var startedWithList: Bool { fetches.first.map { !$0.fetch.epoch.isEmpty } ?? false }

  static func namesExit(_ rule: FeedRule) -> Bool { rule != .goodbye }

  mutating func receive(_ message: ReceivedMessage) {
    switch message {
    case .fetch(let fetch): handle(fetch)
    case .badFetch(let why): judge(.fetch, why)
    case .published(let subscriber, let subject, let frame): handle(frame, on: subject, at: subscriber)
    case .badFrame(let why): judge(.frame, why)
    case .reply(let id, let reply): replies[id] = reply
    }
    if fetches.count + publications.count > Limits.conformanceFramesMax {
      judge(.frame, "too many messages: \(fetches.count) fetches and \(publications.count) frames")
      context.stop()
    }
  }

  mutating func tick() {
    if isBusy, nowMs - changedMs >= 20 {
      changedMs = nowMs
      for _ in 0..<3 { advance() }
      if elapsedMs > 1_000 { joinMidway() }
    }
    reply()
  }

  mutating func stepBegan() {
    stepStart = (publications.count, fetches.count)
    (desyncs, unknownListFault, sentQueries) = ([nil, nil], nil, [])
  }

  mutating func judgeRun() {
    guard hasReceivedMessage else { return }
    judge(.fetch, nil)
    judge(.oneFetch, nil)
    if fetches.count > 2 { judge(.afterSeq, nil) }
    if !publications.isEmpty { judge(.frame, nil) }
  }

  // MARK: - Receiving

  private mutating func handle(_ fetch: Fetch) {
    judge(.fetch, fault(of: fetch))
    if open?.connection == fetch.connection, nowMs - openMs < FeedSuite.repeatMs {
      judge(.oneFetch, "a second request \(nowMs - openMs) ms after the first, which is still open")
    }
    // The last reply may have been lost with the previous connection.
    if let feedList, fetch.connection == fetches.last?.fetch.connection,
      fetch.epoch != feedList.epoch.bytes || fetch.afterSeq != feedList.seq
    {
      judge(.afterSeq, "after_seq \(fetch.afterSeq) instead of \(feedList.seq), or another epoch")
    }
    fetches.append((nowMs, fetch))
    (open, openMs) = (fetch, nowMs)
    reply()
  }

  private func fault(of fetch: Fetch) -> String? {
    if fetch.feed.utf8.count > Limits.peerNameBytesMax { return "a name of \(fetch.feed.utf8.count) bytes" }
    if !fetch.epoch.isEmpty && fetch.epoch.count != 16 { return "an epoch of \(fetch.epoch.count) bytes" }
    if let last = fetches.last?.fetch.id, fetch.id <= last { return "request_id \(fetch.id) after \(last)" }
    return nil
  }

  private mutating func handle(_ frame: FeedReplica.Frame, on subject: Subject, at subscriber: Int) {
    publications.append(Publication(atMs: nowMs, subscriber: subscriber, subject: subject, frame: frame))
    if let (epoch, seq, hash) = frame.list {
      let right = known.hash(epoch, seq)
      if right != hash {
        let why = right == nil ? "which ingest never had" : "which differs from ingest's"
        unknownListFault = unknownListFault ?? "a list of seq \(seq), \(why)"
      }
    }
    guard subscriber < replicas.count else { return }
    let before = replicas[subscriber].state
    if case .delta(let delta, let epoch, _) = frame, subscriber == 0, let before, before.epoch == epoch,
      delta.prevSeq != before.seq
    {
      desyncs[0] = desyncs[0] ?? "prev_seq \(delta.prevSeq), but the list was at \(before.seq)"
    }
    guard case .resync(let desync) = replicas[subscriber].receive(frame, nowMs: nowMs) else { return }
    desyncs[subscriber] = desyncs[subscriber] ?? desync.description
  }

  var publicationsInStep: ArraySlice<Publication> { publications[stepStart.publications...] }

  func hasPublished(_ subject: Subject) -> Bool {
    publicationsInStep.contains { publication in
      if case .snapshot = publication.frame { publication.subject == subject } else { false }
    }
  }

  /// Returns true if a subscriber has ingest's list.
  func isEqual(_ subscriber: Int) -> Bool {
    replicas[subscriber].isLive && replicas[subscriber].state == log.state
  }

  /// Fault of the step's first published list that is older than ingest's list. Nil if there is none.
  var olderListFault: String? {
    // A frame to another subscriber may be older and arrive later.
    let seqs = publicationsInStep.compactMap { $0.subscriber == 0 ? $0.frame.list?.seq : nil }
    return seqs.first { $0 < log.seq }.map { "a list of seq \($0) after a list of seq \(log.seq)" }
  }

  var heartbeats: [(atMs: Int64, isStale: Bool)] {
    publications.compactMap { publication in
      guard publication.subscriber == 0, case .heartbeat(_, _, _, let isStale) = publication.frame else { return nil }
      return (publication.atMs, isStale)
    }
  }

  /// Returns the duration of every `count` consecutive frames to the first subscriber on a topic in the step, in
  /// milliseconds.
  func spans(of count: Int, _ subject: Subject) -> [Int64] {
    let times = publicationsInStep.filter { $0.subscriber == 0 && $0.subject == subject }.map(\.atMs)
    return zip(times.dropFirst(count - 1), times).map { $0 - $1 }
  }

  /// Returns the pauses between the step's frames to the first subscriber on a topic, in milliseconds. The first pause
  /// begins with the step, and the last pause ends now.
  func pauses(of subject: Subject) -> [Int64] {
    let times = publicationsInStep.filter { $0.subscriber == 0 && $0.subject == subject }.map(\.atMs)
    return zip(times + [nowMs], [begunMs] + times).map { $0 - $1 }
  }

  mutating func judgeHeartbeats(_ rule: FeedRule) {
    let longest = pauses(of: .heartbeat).max() ?? 0
    judge(rule, (rule == .heartbeat ? desyncs[0] : nil) ?? (longest > 1_900 ? "no Heartbeat for \(longest) ms" : nil))
  }

  /// Time between ingest's last reply and the step's first stale heartbeat, in milliseconds. Nil without one.
  var staleMs: Int64? {
    heartbeats.first { $0.isStale && $0.atMs > begunMs }.map { $0.atMs - repliedMs }
  }

  /// Time between ingest's last reply and the step's first fetch on a new connection, in milliseconds. Nil without one.
  var newConnectionMs: Int64? {
    guard stepStart.fetches > 0 else { return nil }
    let before = fetches[stepStart.fetches - 1].fetch.connection
    return fetches[stepStart.fetches...].first { $0.fetch.connection != before }.map { $0.atMs - repliedMs }
  }

  // MARK: - Queries

  mutating func sendQuery(_ query: Query) {
    queryCount += 1
    sentQueries.append((queryCount, query))
    send(.query(id: queryCount, query))
  }

  /// True if all well-formed queries have replies.
  var hasAllReplies: Bool { sentQueries.allSatisfy { $0.query == .malformed || replies[$0.id] != nil } }

  mutating func judgeReplies(_ rule: FeedRule) {
    for (id, query) in sentQueries where query != .malformed {
      guard let reply = replies[id] else { return judge(rule, "no reply within \(elapsedMs) ms") }
      judge(rule, fault(of: reply, to: query, rule))
    }
    if let reply = replies[0], reply != .error { judge(rule, "a reply other than an error to a malformed query") }
  }

  private func fault(of reply: Reply, to query: Query, _ rule: FeedRule) -> String? {
    let list = log.state
    if rule == .notModified { return reply == .notModified ? nil : "a reply other than NotModified" }
    switch (query, reply) {
    case (.changes, .delta(let delta, let epoch, let hash)) where rule == .getChanges:
      var state = first
      state.apply(delta)
      let isRight = delta.prevSeq == first.seq && epoch == list.epoch && hash == list.hash && state == list
      return isRight ? nil : "a Delta that does not lead from the list of seq \(first.seq) to that of seq \(list.seq)"
    case (.changes, _) where rule == .getChanges: return "a reply without a Delta"
    case (_, .snapshot(let state, let hash)): return state == list && hash == list.hash ? nil : "a different list"
    default: return "a reply without the list"
    }
  }

  // MARK: - Sending

  /// Replies to the open fetch like ingest.
  private mutating func reply() {
    guard repliesToFetches, let fetch = open else { return }
    let changes = log.fetch(epoch: Epoch(fetch.epoch), afterSeq: fetch.afterSeq, max: max(1, fetch.max))
    guard changes != nil || nowMs - openMs >= min(fetch.waitMs, Limits.fetchWaitMs) else { return }
    let result = changes ?? .changes([], lastSeq: fetch.afterSeq, hash: log.hash)
    switch result {
    case .changes(_, let seq, _): feedList = (log.epoch, seq)
    case .snapshot(let list): feedList = (log.epoch, list.seq)
    }
    repliedMs = nowMs
    closeFetch()
    send(.reply(id: fetch.id, log.epoch, result))
  }

  mutating func closeFetch() { open = nil }

  private mutating func joinMidway() {
    guard !hasJoinedMidway else { return }
    hasJoinedMidway = true
    for subject: Subject in [.delta, .heartbeat, .join("n1")] { send(.subscribe(subscriber: 1, subject)) }
  }

  // MARK: - The list

  /// The entry of a change that is not in ingest's change log.
  var wrongEntry: FeedEntry { SampleList.entry(log.seq + 1, id: 7) }
  var wrongChange: ChangeLog.FetchResult { .changes([.upsert(wrongEntry)], lastSeq: log.seq + 1, hash: nil) }

  /// Adds a new post.
  mutating func advance() { make(.upsert(SampleList.entry(log.seq + 1))) }

  /// Begins the epoch of another database, whose sequence numbers are lower. Adds some changes after the first list.
  mutating func beginEpoch() {
    epochCount += 1
    formerEpoch = log.epoch
    first = SampleList.history(epochCount, entries: 5, after: 10)
    log = ChangeLog(state: first)
    known.insert(first)
    reply()
    for _ in 0..<3 { advance() }
  }

  mutating func make(_ change: FeedChange) {
    log.append([change])
    known.insert(log.state)
  }
}

extension FeedReplica.Frame {
  /// The list that the frame describes.
  fileprivate var list: (epoch: Epoch, seq: UInt64, hash: UInt64)? {
    switch self {
    case .snapshot(let list, let hash, _): (list.epoch, list.seq, hash)
    case .delta(let delta, let epoch, let hash): (epoch, delta.seq, hash)
    case .heartbeat(let epoch, let seq, let hash, _): (epoch, seq, hash)
    case .bye, .unknown: nil
    }
  }
}
