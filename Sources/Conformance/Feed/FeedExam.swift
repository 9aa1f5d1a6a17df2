import Domain
import Messaging

/// An examination of a feed that somebody else has written: what ingest answers it, and its subscribers see of it, step
/// by step, and which rules it keeps. Without sockets or clock. Times are milliseconds of a clock that never goes back.
struct FeedExam: Sendable {
  let waitMs: Int64
  let hasQuestions: Bool
  let hasProcess: Bool
  private(set) var fetches: [(atMs: Int64, fetch: Fetch)] = []
  private(set) var tellings: [Telling] = []
  private(set) var answers: [UInt64: Answer] = [:]
  private(set) var nowMs: Int64
  private(set) var verdicts: [FeedRule: ConformanceReport.Verdict] = [:]

  /// What ingest has.
  private(set) var log: ChangeLog
  /// The first list of this history.
  private(set) var first: FeedState
  private(set) var formerEpoch: Epoch
  /// The hashes of the lists that there have been, by epoch and number.
  private var truths: [String: UInt64] = [:]
  private var histories: UInt8 = 0
  /// The fetch that waits for its answer.
  private(set) var open: Fetch?
  private var openMs: Int64 = 0
  /// What the feed has by the answers that it got; nil before the first.
  private var had: (epoch: Epoch, seq: UInt64)?
  /// Whether fetches are answered, as ingest does.
  var flows = false
  /// Whether there are changes all the time.
  var isBusy = false
  private var changedMs: Int64 = 0
  private var hasJoinedMidway = false
  /// When ingest last answered.
  private(set) var repliedMs: Int64
  /// The lists of the two subscribers that follow.
  private var replicas: [FeedReplica]
  /// What the subscribers lost since the step began.
  private(set) var losses: [String?] = [nil, nil]
  /// What was told that no list of ingest's was, since the step began.
  private(set) var strange: String?
  private var asked: [(id: UInt64, question: Question)] = []
  private var questionCount: UInt64 = 0
  private(set) var exit: (code: Int32, atMs: Int64)?
  private var said: [Said] = []
  private var next = 0
  private var hasBegun = false
  private var readyMs: Int64
  /// When the present step began, and how much had been told.
  private(set) var begunMs: Int64 = 0
  private var mark = (tellings: 0, fetches: 0)

  /// - Parameters:
  ///   - waitMs: how long the feed may take to come.
  ///   - hasQuestions: whether it can be asked.
  ///   - hasProcess: whether it can be told to end.
  init(waitMs: Int64, hasQuestions: Bool, hasProcess: Bool, nowMs: Int64) {
    self.waitMs = waitMs
    self.hasQuestions = hasQuestions
    self.hasProcess = hasProcess
    self.nowMs = nowMs
    (readyMs, repliedMs) = (nowMs, nowMs)
    replicas = [FeedReplica(nowMs: nowMs), FeedReplica(nowMs: nowMs)]
    first = ExamList.history(0, entries: UInt64(Limits.feedEntriesMax), after: 1_000)
    formerEpoch = ExamList.history(9, entries: 1, after: 1).epoch
    log = ChangeLog(state: first)
    remember()
    for subject: Subject in [.snapshot, .delta, .heartbeat, .join("n0")] {
      say(.subscribe(subscriber: 0, subject))
    }
  }

  /// Whether all that could be seen has been seen.
  var isOver: Bool { next >= FeedExam.steps.count }

  /// The name that the feed gave itself; nil before.
  var name: String? { fetches.first?.fetch.feed }
  var hasCome: Bool { !fetches.isEmpty }
  /// Whether it began with a list that it had kept.
  var hadList: Bool { fetches.first.map { !$0.fetch.epoch.isEmpty } ?? false }

  /// What came out of it. Complete when it is over.
  var conformance: ConformanceReport {
    let rules = FeedRule.allCases.filter { rule in
      (hasProcess || rule != .goodbye) && (hasQuestions || !FeedRule.questions.contains(rule))
    }
    let end = exit.map { "the feed's process ended, \(WorkerExam.words(ofExit: $0.code))" }
    let why = end ?? (hasCome ? "the feed did not get that far" : "no feed came")
    return ConformanceReport(
      findings: rules.map { ConformanceReport.Finding(rule: $0.rule, verdict: verdicts[$0] ?? .notShown(why: why)) })
  }

  /// The feed has said something.
  mutating func hear(_ utterance: Utterance, nowMs: Int64) {
    self.nowMs = nowMs
    guard !isOver else { return }
    switch utterance {
    case .fetch(let fetch): take(fetch)
    case .badFetch(let why): judge(.fetch, why)
    case .told(let subscriber, let subject, let frame): take(frame, on: subject, at: subscriber)
    case .badFrame(let why): judge(.frame, why)
    case .answer(let id, let answer): answers[id] = answer
    }
    if fetches.count + tellings.count > Limits.examFramesMax {
      judge(.frame, "\(fetches.count) fetches and \(tellings.count) frames, which nobody asked for")
      return stop()
    }
    advanceSteps()
  }

  /// The feed's process has ended.
  ///
  /// - Parameter code: its exit code, or the signal's number, negative.
  mutating func ended(_ code: Int32, nowMs: Int64) {
    self.nowMs = nowMs
    guard exit == nil, !isOver else { return }
    exit = (code, nowMs)
    if FeedExam.steps[next].isOfProcess { return }
    if hasBegun { FeedExam.steps[next].judge(&self) }
    stop()
  }

  /// Does what time asks for. To be called every 50 ms at least.
  mutating func tick(nowMs: Int64) {
    self.nowMs = nowMs
    guard !isOver else { return }
    if isBusy, nowMs - changedMs >= 20 {
      changedMs = nowMs
      for _ in 0..<3 { advance() }
      if nowMs - begunMs > 1_000 { joinMidway() }
    }
    reply()
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
      let step = FeedExam.steps[next]
      if !hasBegun {
        let isLeftOut = step.isOfProcess && !hasProcess || step.isOfQuestions && !hasQuestions
        let isLate = step.needsFetch && open == nil && nowMs - readyMs > Limits.examGoneMs
        if isLeftOut || isLate {
          skip()
          continue
        }
        if step.needsFetch, open == nil { return }
        (hasBegun, begunMs, mark) = (true, nowMs, (tellings.count, fetches.count))
        (losses, strange, asked) = ([nil, nil], nil, [])
        step.begin(&self)
      }
      let endMs = begunMs + (step.limitMs ?? waitMs)
      guard step.isDone(self) || nowMs >= endMs else { return }
      step.judge(&self)
      skip()
    }
  }

  private mutating func skip() {
    guard !isOver else { return }
    next += 1
    (hasBegun, readyMs) = (false, nowMs)
    if isOver { judgeAll() }
  }

  /// Ends it before the last step.
  mutating func stop() {
    next = FeedExam.steps.count
    judgeAll()
  }

  /// A rule that was once seen broken stays so.
  ///
  /// - Parameter seen: what was seen against it; nil where it holds.
  mutating func judge(_ rule: FeedRule, _ seen: String?) {
    if case .doesNotHold? = verdicts[rule] { return }
    let end = exit.map { rule == .goodbye ? "" : "; its process had ended, \(WorkerExam.words(ofExit: $0.code))" }
    verdicts[rule] = seen.map { .doesNotHold(seen: $0 + (end ?? "")) } ?? .holds
  }

  private mutating func judgeAll() {
    guard hasCome else { return }
    judge(.fetch, nil)
    judge(.oneFetch, nil)
    if fetches.count > 2 { judge(.afterSeq, nil) }
    if !tellings.isEmpty { judge(.frame, nil) }
  }

  // MARK: - Hearing

  private mutating func take(_ fetch: Fetch) {
    judge(.fetch, fault(of: fetch))
    if open?.connection == fetch.connection, nowMs - openMs < 1_500 {
      judge(.oneFetch, "a second request \(nowMs - openMs) ms after the first, which was not answered")
    }
    // With another connection the last answer may have been lost.
    if let had, fetch.connection == fetches.last?.fetch.connection,
      fetch.epoch != had.epoch.bytes || fetch.afterSeq != had.seq
    {
      judge(.afterSeq, "after_seq \(fetch.afterSeq), where it was told \(had.seq), or another epoch")
    }
    fetches.append((nowMs, fetch))
    (open, openMs) = (fetch, nowMs)
    reply()
  }

  private func fault(of fetch: Fetch) -> String? {
    if fetch.feed.utf8.count > 64 { return "a name of \(fetch.feed.utf8.count) bytes" }
    if !fetch.epoch.isEmpty && fetch.epoch.count != 16 { return "an epoch of \(fetch.epoch.count) bytes" }
    if let last = fetches.last?.fetch.id, fetch.id <= last { return "request_id \(fetch.id) after \(last)" }
    return nil
  }

  private mutating func take(_ frame: FeedReplica.Frame, on subject: Subject, at subscriber: Int) {
    tellings.append(Telling(atMs: nowMs, subscriber: subscriber, subject: subject, frame: frame))
    if let (epoch, seq, hash) = frame.list {
      let told = truths["\(epoch)/\(seq)"]
      if told != hash {
        strange = strange ?? "a list of seq \(seq), \(told == nil ? "which never was" : "not ingest's")"
      }
    }
    guard subscriber < replicas.count else { return }
    let before = replicas[subscriber].state
    if case .delta(let delta, let epoch, _) = frame, subscriber == 0, let before, before.epoch == epoch,
      delta.prevSeq != before.seq
    {
      losses[0] = losses[0] ?? "prev_seq \(delta.prevSeq), where the list stood at \(before.seq)"
    }
    guard case .resync(let loss) = replicas[subscriber].receive(frame, nowMs: nowMs) else { return }
    losses[subscriber] = losses[subscriber] ?? loss.description
  }

  var tellingsSinceBegin: ArraySlice<Telling> { tellings[mark.tellings...] }

  func hasTold(_ subject: Subject) -> Bool {
    tellingsSinceBegin.contains { telling in
      if case .snapshot = telling.frame { telling.subject == subject } else { false }
    }
  }

  /// Whether a subscriber has ingest's list.
  func isEqual(_ subscriber: Int) -> Bool {
    replicas[subscriber].isLive && replicas[subscriber].state == log.state
  }

  /// A list of ingest's that was there before, told since the step began.
  var older: String? {
    // What the others were told before may come after the first one's.
    let seqs = tellingsSinceBegin.compactMap { $0.subscriber == 0 ? $0.frame.list?.seq : nil }
    return seqs.first { $0 < log.seq }.map { "a list of seq \($0), where \(log.seq) had been published" }
  }

  var heartbeats: [(atMs: Int64, isStale: Bool)] {
    tellings.compactMap { telling in
      guard telling.subscriber == 0, case .heartbeat(_, _, _, let isStale) = telling.frame else { return nil }
      return (telling.atMs, isStale)
    }
  }

  /// The times, in ms, that each `count` frames in a row to the first subscriber on a topic took since the step began.
  func spans(of count: Int, _ subject: Subject) -> [Int64] {
    let times = tellingsSinceBegin.filter { $0.subscriber == 0 && $0.subject == subject }.map(\.atMs)
    return zip(times.dropFirst(count - 1), times).map { $0 - $1 }
  }

  /// The same, with those from its begin and to now.
  func pauses(of subject: Subject) -> [Int64] {
    let times = tellingsSinceBegin.filter { $0.subscriber == 0 && $0.subject == subject }.map(\.atMs)
    return zip(times + [nowMs], [begunMs] + times).map { $0 - $1 }
  }

  mutating func judgeHeartbeats(_ rule: FeedRule) {
    let longest = pauses(of: .heartbeat).max() ?? 0
    judge(rule, (rule == .heartbeat ? losses[0] : nil) ?? (longest > 1_900 ? "none for \(longest) ms" : nil))
  }

  /// How long after ingest's last answer a frame was stale; nil where none was.
  var staleMs: Int64? {
    heartbeats.first { $0.isStale && $0.atMs > begunMs }.map { $0.atMs - repliedMs }
  }

  /// The same of a fetch on a connection that was not there before.
  var newConnectionMs: Int64? {
    guard mark.fetches > 0 else { return nil }
    let before = fetches[mark.fetches - 1].fetch.connection
    return fetches[mark.fetches...].first { $0.fetch.connection != before }.map { $0.atMs - repliedMs }
  }

  // MARK: - Questions

  mutating func ask(_ question: Question) {
    questionCount += 1
    asked.append((questionCount, question))
    say(.ask(id: questionCount, question))
  }

  /// Whether all questions that somebody could read are.
  var areAnswered: Bool { asked.allSatisfy { $0.question == .malformed || answers[$0.id] != nil } }

  mutating func judgeAnswers(_ rule: FeedRule) {
    for (id, question) in asked where question != .malformed {
      guard let answer = answers[id] else { return judge(rule, "no answer within \(nowMs - begunMs) ms") }
      judge(rule, fault(of: answer, to: question, rule))
    }
    if let answer = answers[0], answer != .error { judge(rule, "another answer than an error to what nobody can read") }
  }

  private func fault(of answer: Answer, to question: Question, _ rule: FeedRule) -> String? {
    let list = log.state
    if rule == .notModified { return answer == .notModified ? nil : "another answer" }
    switch (question, answer) {
    case (.changes, .delta(let delta, let epoch, let hash)) where rule == .getChanges:
      var state = first
      state.apply(delta)
      let isRight = delta.prevSeq == first.seq && epoch == list.epoch && hash == list.hash && state == list
      return isRight ? nil : "a Delta that does not lead from the list at \(first.seq) to the one at \(list.seq)"
    case (.changes, _) where rule == .getChanges: return "no Delta"
    case (_, .list(let state, let hash)): return state == list && hash == list.hash ? nil : "another list"
    default: return "no list"
    }
  }

  // MARK: - Saying

  mutating func say(_ something: Said) { said.append(something) }

  /// As ingest does.
  private mutating func reply() {
    guard flows, let fetch = open else { return }
    let news = log.answer(epoch: Epoch(fetch.epoch), afterSeq: fetch.afterSeq, max: max(1, fetch.max))
    guard news != nil || nowMs - openMs >= min(fetch.waitMs, Limits.fetchWaitMs) else { return }
    let answer = news ?? .changes([], lastSeq: fetch.afterSeq, hash: log.hash)
    switch answer {
    case .changes(_, let seq, _): had = (log.epoch, seq)
    case .snapshot(let list): had = (log.epoch, list.seq)
    }
    repliedMs = nowMs
    closeFetch()
    say(.reply(id: fetch.id, log.epoch, answer))
  }

  mutating func closeFetch() { open = nil }

  private mutating func joinMidway() {
    guard !hasJoinedMidway else { return }
    hasJoinedMidway = true
    for subject: Subject in [.delta, .heartbeat, .join("n1")] { say(.subscribe(subscriber: 1, subject)) }
  }

  // MARK: - The list

  /// A change that ingest never made, and its entry.
  var wrongEntry: FeedEntry { ExamList.entry(log.seq + 1, id: 7) }
  var wrongChange: ChangeLog.Answer { .changes([.put(wrongEntry)], lastSeq: log.seq + 1, hash: nil) }

  /// A new post.
  mutating func advance() { make(.put(ExamList.entry(log.seq + 1))) }

  /// The newest but one is deleted, and what had left the list comes back.
  mutating func delete() {
    let list = log.state
    let oldest = list.entries[list.entries.count - 1].seq
    make(.gone(list.entries[1].id, seq: list.seq + 1, next: ExamList.entry(oldest - 1)))
  }

  /// Another database, whose numbers are lower, and some changes that come after the list.
  mutating func beginHistory() {
    histories += 1
    formerEpoch = log.epoch
    first = ExamList.history(histories, entries: 5, after: 10)
    log = ChangeLog(state: first)
    remember()
    reply()
    for _ in 0..<3 { advance() }
  }

  mutating func make(_ change: FeedChange) {
    log.append([change])
    remember()
  }

  private mutating func remember() {
    let list = log.state
    truths["\(list.epoch)/\(list.seq)"] = list.hash
  }
}
