import Domain
import Messaging

/// The exam of a producer: plays ingest's end of submission step by step, and judges which rules the producer keeps. A
/// pure state machine without sockets or clock. Times are milliseconds of a clock that never goes back.
struct ProducerExam: Sendable {
  typealias Utterance = ProducerProbe.Utterance
  typealias Said = ProducerProbe.Said
  typealias Refusal = ProducerProbe.Refusal

  /// A batch of posts.
  struct Request: Sendable {
    let atMs: Int64
    let connection: Int
    let id: UInt64
    let token: String
    let posts: [SubmittedPost]

    var keys: [String] { posts.map(\.idempotencyKey) }
  }
  let waitMs: Int64
  private(set) var nowMs: Int64
  var verdicts: [ProducerRule: ConformanceReport.Verdict] = [:]
  private var said: [Said] = []
  private var next = 0

  /// Batches without a reply, oldest first.
  private(set) var open: [Request] = []
  /// The request that got its reply last.
  private(set) var repliedID: UInt64 = 0
  /// Every post that has come, by its key, in its first form.
  private var posts: [String: SubmittedPost] = [:]
  private var stored: [String: PostID] = [:]
  /// Posts that must not come again, by their keys, with the rule that says so.
  private var forgotten: [String: (rule: ProducerRule, atMs: Int64)] = [:]
  private var messages = 0
  private var heardMs: Int64
  private(set) var connection = 0
  /// Start of the current step's wait for a batch.
  private var waitingMs: Int64

  /// The current step's batch; nil until it comes.
  private(set) var subject: Request?
  /// Posts that the current step expects again, and the time when each came.
  var wanted: Set<String> = []
  private(set) var againMs: [String: Int64] = [:]
  /// True while the exam answers no request, and the connection on which the silence began.
  var isSilent = false
  var lostConnection = 0
  private(set) var reconnectedMs: Int64?
  /// New batches that have come during a step, by request. Each gets its reply after a pause, so that a fast producer
  /// has posts left for the steps that follow.
  private var queued: [UInt64] = []
  private var queueMs: Int64 = 0
  /// A batch whose reply waits for that of a later one.
  private var held: Request?
  /// A token whose session has ended, with that time, and the time when another token came.
  private(set) var shut: (token: String, atMs: Int64)?
  private(set) var newTokenMs: Int64?
  /// Exit code of the producer's process, or the signal's number, negative; nil while it runs.
  private(set) var exit: Int32?

  /// - Parameter waitMs: timeout for the producer's first message.
  init(waitMs: Int64, nowMs: Int64) {
    self.waitMs = waitMs
    self.nowMs = nowMs
    (heardMs, waitingMs) = (nowMs, nowMs)
  }

  /// True if the exam has ended.
  var isOver: Bool { next >= ProducerExam.steps.count }

  /// True if a producer has come.
  var hasCome: Bool { messages > 0 }

  /// The result of the exam. Complete once `isOver`.
  var conformance: ConformanceReport {
    let end = exit.map { "the producer's process ended, \(WorkerExam.words(ofExit: $0)): does it have enough posts?" }
    let why = end ?? (hasCome ? "the producer sent too few batches: give it more posts" : "no producer came")
    return ConformanceReport(
      findings: ProducerRule.allCases.map { rule in
        ConformanceReport.Finding(rule: rule.rule, verdict: verdicts[rule] ?? .notShown(why: why))
      })
  }

  /// Takes a message from the producer.
  mutating func hear(_ utterance: Utterance, nowMs: Int64) {
    self.nowMs = nowMs
    guard !isOver else { return }
    heardMs = nowMs
    messages += 1
    if messages >= Limits.examFramesMax {
      judge(.frame, "\(messages) messages, which nobody asked for")
      return stop()
    }
    if utterance.byteCount > Limits.submitFrameBytesMax { judge(.frame, "a frame of \(utterance.byteCount) bytes") }
    if utterance.connection > connection {
      connection = utterance.connection
      if isSilent, connection > lostConnection { reconnectedMs = reconnectedMs ?? nowMs }
    }
    switch utterance.body {
    case .unreadable(let why): judge(.frame, why)
    case .query(let ids):
      check(utterance)
      say(.statuses(connection: utterance.connection, id: utterance.id, ids))
    case .batch(let posts):
      check(utterance)
      take(
        Request(
          atMs: nowMs, connection: utterance.connection, id: utterance.id, token: utterance.token, posts: posts))
    }
    advance()
  }

  /// The producer's process has ended.
  ///
  /// - Parameter code: its exit code, or the signal's number, negative.
  mutating func ended(_ code: Int32, nowMs: Int64) {
    self.nowMs = nowMs
    guard exit == nil, !isOver else { return }
    exit = code
    // The producer owes all posts of a batch whose reply is held back.
    if let held { wanted = Set(held.keys) }
    // A producer without a session may end. A producer that ends with 0 has given up the posts that it owes.
    if subject != nil, shut != nil || (code == 0 && !ProducerExam.steps[next].isDone(self)) {
      ProducerExam.steps[next].judge(&self)
    }
    stop()
  }

  /// Does what is due. Call this every 50 ms or so.
  mutating func tick(nowMs: Int64) {
    self.nowMs = nowMs
    guard !isOver else { return }
    if let held, nowMs - held.atMs >= ProducerExam.orderMs { release() }
    if !isSilent, nowMs - queueMs >= ProducerExam.queueMs { answerQueued() }
    guard subject == nil else { return advance() }
    guard hasCome else { return nowMs - heardMs >= waitMs ? stop() : () }
    // Resent batches alone show nothing new.
    if nowMs - heardMs > Limits.examGoneMs || nowMs - waitingMs > 3 * Limits.examGoneMs { stop() }
  }

  /// Returns the messages to send now, each once.
  mutating func takeSaid() -> [Said] {
    defer { said = [] }
    return said
  }

  // MARK: - Steps

  private mutating func advance() {
    guard !isOver, let subject else { return }
    let step = ProducerExam.steps[next]
    guard step.isDone(self) || nowMs - subject.atMs >= step.limitMs else { return }
    step.judge(&self)
    // A batch that is not sent again is given up.
    open.removeAll { $0.id == subject.id }
    next += 1
    (self.subject, waitingMs, wanted, againMs) = (nil, nowMs, [], [:])
    if isOver { judgeAll() }
  }

  private mutating func stop() {
    next = ProducerExam.steps.count
    judgeAll()
  }

  /// Judges a rule. A rule that was once broken stays broken.
  ///
  /// - Parameter seen: the evidence against the rule; nil if it holds.
  mutating func judge(_ rule: ProducerRule, _ seen: String?) {
    if case .doesNotHold? = verdicts[rule] { return }
    verdicts[rule] = seen.map { .doesNotHold(seen: $0) } ?? .holds
  }

  private mutating func judgeAll() {
    guard hasCome else { return }
    for rule in [ProducerRule.frame, .token, .requestID, .draft, .window] { judge(rule, nil) }
    // For each rule, the time since its first reply.
    let observedMs = Dictionary(forgotten.values.map { ($0.rule, nowMs - $0.atMs) }, uniquingKeysWith: max)
    for (rule, ms) in observedMs where rule != .order {
      guard ms < WorkerExam.crossingMs else {
        judge(rule, nil)
        continue
      }
      let why = "the exam ended \(ms) ms after the reply, too early to see whether the post comes again"
      if verdicts[rule] == nil { verdicts[rule] = .notShown(why: why) }
    }
  }

  // MARK: - Hearing

  private mutating func check(_ utterance: Utterance) {
    if utterance.id == 0 { judge(.requestID, "request_id 0") }
    if utterance.token.utf8.count != Limits.sessionTokenBytes {
      judge(.token, "a token of \(utterance.token.utf8.count) bytes")
    }
  }

  private mutating func take(_ request: Request) {
    judge(.draft, fault(of: request))
    let isFresh = request.keys.allSatisfy { posts[$0] == nil }
    if let same = open.first(where: { $0.id == request.id }), Set(same.keys).isDisjoint(with: request.keys) {
      judge(.requestID, "request_id \(request.id) twice, for different posts, while the first is open")
    }
    for post in request.posts { note(post) }
    let keys = Set(request.keys)
    open.removeAll { $0.id == request.id || keys.isSuperset(of: $0.keys) }
    open.append(request)
    let limit = Limits.submitUnansweredMax
    if open.count > limit { judge(.window, "\(open.count) requests that wait for their reply") }
    if let shut { return take(request, without: shut) }
    if isSilent { return }
    guard subject == nil, isFresh else {
      if isFresh, held == nil { return queued.append(request.id) }
      answer(request, by: held == nil ? nil : .order)
      return release()
    }
    subject = request
    ProducerExam.steps[next].meet(&self, request)
  }

  private mutating func note(_ post: SubmittedPost) {
    let key = post.idempotencyKey
    if let before = posts[key] {
      judge(.key, before.isSame(as: post) ? nil : "another post under the key \"\(key)\"")
    } else {
      posts[key] = post
    }
    // A post that came on a lost connection must come on the next one too.
    let isCounted = wanted.contains(key) && (!isSilent || connection > lostConnection)
    if isCounted { againMs[key] = againMs[key] ?? nowMs }
    guard let (rule, atMs) = forgotten[key], nowMs - atMs >= WorkerExam.crossingMs else { return }
    judge(rule, "the post of key \"\(key)\" again, \(nowMs - atMs) ms after its reply")
  }

  private func fault(of request: Request) -> String? {
    if !(1...Limits.submitPostsMax).contains(request.posts.count) { return "a batch of \(request.posts.count) posts" }
    for post in request.posts {
      let key = post.idempotencyKey
      if !(1...Limits.idempotencyKeyBytesMax).contains(key.utf8.count) { return "a key of \(key.utf8.count) bytes" }
      if !key.isSafeLine { return "a key with a control character" }
      if !(1...Limits.placeBytesMax).contains(post.place.utf8.count) {
        return "a place of \(post.place.utf8.count) bytes"
      }
      if post.link.utf8.count > Limits.linkBytesMax { return "a link of \(post.link.utf8.count) bytes" }
      if (post.latitude == nil) != (post.longitude == nil) { return "one coordinate without the other" }
    }
    return nil
  }

  private mutating func take(_ request: Request, without shut: (token: String, atMs: Int64)) {
    guard request.token == shut.token else {
      if newTokenMs == nil, nowMs - shut.atMs < ProducerExam.tokenPauseMs - 100 {
        judge(.unauthorized, "a request under a new token after \(nowMs - shut.atMs) ms")
      }
      newTokenMs = newTokenMs ?? nowMs
      return answer(request)
    }
    if nowMs - shut.atMs >= WorkerExam.crossingMs {
      judge(.unauthorized, "a request under that token \(nowMs - shut.atMs) ms after UNAUTHORIZED")
    }
    refuse(request, .unauthorized, retryAfterMs: ProducerExam.tokenPauseMs)
  }

  // MARK: - Saying

  mutating func say(_ something: Said) { said.append(something) }

  /// Replies to a batch: new posts are ACCEPTED, stored ones REPLAYED.
  ///
  /// - Parameter rule: the rule by which the producer must forget the posts; nil for the rule of their outcome.
  mutating func answer(_ request: Request, by rule: ProducerRule? = nil, isLater: Bool = false) {
    let receipts = request.keys.map { key in
      let isStored = stored[key] != nil
      forget(key, by: rule ?? (isStored ? .replayed : .accepted))
      return isStored ? SubmitReceipt.replayed(store(key)) : .accepted(store(key))
    }
    reply(request, receipts, isLater: isLater)
  }

  /// Replies to a batch.
  mutating func reply(_ request: Request, _ receipts: [SubmitReceipt], isLater: Bool = false) {
    open.removeAll { $0.id == request.id }
    repliedID = request.id
    say(.receipts(connection: request.connection, id: request.id, receipts, isLater: isLater))
  }

  /// Replies to a batch with an Error.
  mutating func refuse(_ request: Request, _ refusal: Refusal, retryAfterMs: Int64) {
    open.removeAll { $0.id == request.id }
    say(.error(connection: request.connection, id: request.id, refusal, retryAfterMs: retryAfterMs))
  }

  /// Stores the post of a key, with or without a receipt to the producer.
  @discardableResult
  mutating func store(_ key: String) -> PostID {
    let number = UInt64(stored.count) + 1_000_000_000
    guard let id = stored[key] ?? PostID(rawValue: number) else { preconditionFailure("There is such an id.") }
    stored[key] = id
    return id
  }

  /// Notes that the producer must not send a post again.
  mutating func forget(_ key: String, by rule: ProducerRule) {
    if forgotten[key] == nil { forgotten[key] = (rule, nowMs) }
  }

  /// Holds back the reply to a batch until another batch has got its own, or none comes.
  mutating func hold(_ request: Request) { held = request }

  /// Replies to the batch that was held: its first post is BUSY.
  private mutating func release() {
    guard let request = held else { return }
    held = nil
    let refusal = SubmitRefusal(code: "busy", detail: "examined by onthemap conform")
    wanted = Set(request.keys.prefix(1))
    let rest = request.keys.dropFirst().map { key in
      forget(key, by: .order)
      return SubmitReceipt.accepted(store(key))
    }
    reply(request, [.busy(refusal, retryAfterMs: ProducerExam.orderMs)] + rest)
  }

  private mutating func answerQueued() {
    queueMs = nowMs
    while !queued.isEmpty {
      let id = queued.removeFirst()
      guard let request = open.first(where: { $0.id == id }), id != subject?.id else { continue }
      return answer(request)
    }
  }

  /// Ends the silence: all open requests get their replies. No reply reaches a lost connection, so its requests are no
  /// longer open.
  mutating func speakAgain() {
    isSilent = false
    let lost = reconnectedMs == nil ? 0 : lostConnection
    open.removeAll { $0.connection <= lost }
    for request in open { answer(request) }
  }

  /// Ends the session of a token.
  mutating func shut(_ token: String) {
    shut = (token, nowMs)
    for request in open where request.token == token {
      refuse(request, .unauthorized, retryAfterMs: ProducerExam.tokenPauseMs)
    }
  }
}

extension SubmittedPost {
  /// True if the posts are the same. The trace is no part of a post.
  fileprivate func isSame(as other: SubmittedPost) -> Bool {
    place == other.place && link == other.link && latitude == other.latitude && longitude == other.longitude
  }
}
