import Domain
import Messaging

/// The conformance suite for producers: plays ingest's end of submission.
struct ProducerSuite: ConformanceSuite {
  typealias Rule = ProducerRule
  typealias Step = ConformanceStep<ProducerSuite>
  typealias ReceivedMessage = ProducerProbe.ReceivedMessage
  typealias Stimulus = ProducerProbe.Stimulus

  /// A batch of posts.
  struct Request: Sendable {
    let atMs: Int64
    let connection: Int
    let id: UInt64
    let token: String
    let posts: [SubmittedPost]

    var keys: [String] { posts.map(\.idempotencyKey) }
  }

  static let program = "producer"

  var context: RunContext<ProducerRule, Stimulus>

  /// Batches without a reply, oldest first.
  private(set) var open: [Request] = []
  /// Id of the last request with a reply.
  private(set) var repliedID: UInt64 = 0
  /// Every received post by its key, as the producer first sent it.
  private var posts: [String: SubmittedPost] = [:]
  private var stored: [String: PostID] = [:]
  /// Keys of posts that the producer must not resend, with the rule that forbids it and the time of the reply.
  private var resendForbidden: [String: (rule: ProducerRule, atMs: Int64)] = [:]
  private var messages = 0
  private var lastReceivedMs: Int64
  private(set) var connection = 0

  /// The batch of the current step. Nil until it arrives.
  private(set) var stepBatch: Request?
  /// Keys of posts that the producer must resend in the current step.
  var expectedKeys: Set<String> = []
  /// Arrival time of each post that the producer has resent in the current step.
  private(set) var resentMs: [String: Int64] = [:]
  /// True while the suite replies to no request.
  var isSilent = false
  /// Connection on which the silence began.
  var lostConnection = 0
  private(set) var reconnectedMs: Int64?
  /// Request ids of new batches that arrived during a step. Each gets its reply after a pause, so that a fast producer
  /// has posts left for later steps.
  private var queued: [UInt64] = []
  private var queueMs: Int64 = 0
  /// A batch whose reply waits for the reply to a later batch.
  private var held: Request?
  /// The token whose session the suite has ended, with the time of that end. Nil before it.
  private(set) var endedSession: (token: String, atMs: Int64)?
  /// Time of the first request with another token. Nil before it.
  private(set) var newTokenMs: Int64?

  init(_ context: RunContext<ProducerRule, Stimulus>) {
    self.context = context
    lastReceivedMs = context.nowMs
  }

  var hasReceivedMessage: Bool { messages > 0 }
  var name: String? { hasReceivedMessage ? "a producer" : nil }

  static func namesExit(_ rule: ProducerRule) -> Bool { false }

  func reason(for unjudged: ProducerRule) -> String? {
    if let exit { return "the producer's process ended, \(exit.words): does it have enough posts?" }
    return hasReceivedMessage ? "the producer sent too few batches: give it more posts" : nil
  }

  mutating func receive(_ message: ReceivedMessage) {
    lastReceivedMs = nowMs
    messages += 1
    if messages >= Limits.conformanceFramesMax {
      judge(.frame, "too many messages: \(messages)")
      return context.stop()
    }
    if message.byteCount > Limits.submitFrameBytesMax { judge(.frame, "a frame of \(message.byteCount) bytes") }
    if message.connection > connection {
      connection = message.connection
      if isSilent, connection > lostConnection { reconnectedMs = reconnectedMs ?? nowMs }
    }
    switch message.body {
    case .unreadable(let why): judge(.frame, why)
    case .query(let ids):
      check(message)
      send(.statuses(connection: message.connection, id: message.id, ids))
    case .batch(let posts):
      check(message)
      handle(
        Request(atMs: nowMs, connection: message.connection, id: message.id, token: message.token, posts: posts))
    }
  }

  mutating func tick() {
    if let held, nowMs - held.atMs >= ProducerSuite.orderMs { release() }
    if !isSilent, nowMs - queueMs >= ProducerSuite.queueMs { replyToQueued() }
    guard stepBatch == nil else { return }
    guard hasReceivedMessage else {
      if nowMs - lastReceivedMs >= context.waitMs { context.stop() }
      return
    }
    // A producer that only repeats batches starts no further step.
    if nowMs - lastReceivedMs > Limits.conformanceIdleMs || nowMs - context.readyMs > 3 * Limits.conformanceIdleMs {
      context.stop()
    }
  }

  mutating func stepEnded() {
    // A batch that the producer has not resent is no longer expected.
    if let stepBatch { open.removeAll { $0.id == stepBatch.id } }
    (stepBatch, expectedKeys, resentMs) = (nil, [], [:])
  }

  mutating func judges(_ interrupted: Step) -> Bool {
    // The producer must resend all posts of a batch whose reply the suite holds.
    if let held { expectedKeys = Set(held.keys) }
    // A producer without a session may end. A producer that exits with 0 has given up the posts that it should resend.
    return endedSession != nil || exit?.code == 0 && !interrupted.isDone(self)
  }

  mutating func judgeRun() {
    guard hasReceivedMessage else { return }
    for rule in [ProducerRule.frame, .token, .requestID, .draft, .window] { judge(rule, nil) }
    // Time since the first reply that forbids a resend, for each rule.
    let observedMs = Dictionary(resendForbidden.values.map { ($0.rule, nowMs - $0.atMs) }, uniquingKeysWith: max)
    for (rule, ms) in observedMs where rule != .order {
      guard ms < Limits.inFlightToleranceMs else {
        judge(rule, nil)
        continue
      }
      let why = "the test ended \(ms) ms after the reply, too early to detect a resent post"
      leaveOpen(rule, why)
    }
  }

  // MARK: - Receiving

  private mutating func check(_ message: ReceivedMessage) {
    if message.id == 0 { judge(.requestID, "request_id 0") }
    if message.token.utf8.count != Limits.sessionTokenBytes {
      judge(.token, "a token of \(message.token.utf8.count) bytes")
    }
  }

  private mutating func handle(_ request: Request) {
    judge(.draft, fault(of: request))
    let isFresh = request.keys.allSatisfy { posts[$0] == nil }
    if let same = open.first(where: { $0.id == request.id }), Set(same.keys).isDisjoint(with: request.keys) {
      judge(.requestID, "request_id \(request.id) for two open batches of different posts")
    }
    for post in request.posts { record(post) }
    let keys = Set(request.keys)
    open.removeAll { $0.id == request.id || keys.isSuperset(of: $0.keys) }
    open.append(request)
    let limit = Limits.submitRequestsOfConnectionMax
    if open.count > limit { judge(.window, "\(open.count) open requests") }
    if let endedSession { return handle(request, without: endedSession) }
    if isSilent { return }
    guard stepBatch == nil, isFresh else {
      if isFresh, held == nil { return queued.append(request.id) }
      reply(request, by: held == nil ? nil : .order)
      return release()
    }
    stepBatch = request
  }

  private mutating func record(_ post: SubmittedPost) {
    let key = post.idempotencyKey
    if let before = posts[key] {
      judge(.key, before.isSame(as: post) ? nil : "a different post with the key \"\(key)\"")
    } else {
      posts[key] = post
    }
    // A post that arrived on a lost connection must arrive on the next connection too.
    let isCounted = expectedKeys.contains(key) && (!isSilent || connection > lostConnection)
    if isCounted { resentMs[key] = resentMs[key] ?? nowMs }
    guard let (rule, atMs) = resendForbidden[key], nowMs - atMs >= Limits.inFlightToleranceMs else { return }
    judge(rule, "the post with the key \"\(key)\" was resent \(nowMs - atMs) ms after its reply")
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
      if (post.latitude == nil) != (post.longitude == nil) { return "a latitude without a longitude, or the reverse" }
    }
    return nil
  }

  private mutating func handle(_ request: Request, without session: (token: String, atMs: Int64)) {
    guard request.token == session.token else {
      if newTokenMs == nil, nowMs - session.atMs < ProducerSuite.tokenPauseMs - 100 {
        judge(.unauthorized, "a request with a new token \(nowMs - session.atMs) ms after UNAUTHORIZED")
      }
      newTokenMs = newTokenMs ?? nowMs
      return reply(request)
    }
    if nowMs - session.atMs >= Limits.inFlightToleranceMs {
      judge(.unauthorized, "a request with the refused token \(nowMs - session.atMs) ms after UNAUTHORIZED")
    }
    refuse(request, .unauthorized, retryAfterMs: ProducerSuite.tokenPauseMs)
  }

  // MARK: - Sending

  /// Replies to a batch. New posts are ACCEPTED, stored posts are REPLAYED.
  ///
  /// - Parameter rule: Rule that forbids the producer to resend the posts. Nil for the rule of their outcome.
  mutating func reply(_ request: Request, by rule: ProducerRule? = nil, isLater: Bool = false) {
    let receipts = request.keys.map { key in
      let isStored = stored[key] != nil
      forbidResend(key, by: rule ?? (isStored ? .replayed : .accepted))
      return isStored ? SubmitReceipt.replayed(store(key)) : .accepted(store(key))
    }
    reply(request, receipts, isLater: isLater)
  }

  /// Replies to a batch with receipts.
  mutating func reply(_ request: Request, _ receipts: [SubmitReceipt], isLater: Bool = false) {
    open.removeAll { $0.id == request.id }
    repliedID = request.id
    send(.receipts(connection: request.connection, id: request.id, receipts, isLater: isLater))
  }

  /// Replies to a batch with an Error.
  mutating func refuse(_ request: Request, _ refusal: ProducerProbe.Refusal, retryAfterMs: Int64) {
    open.removeAll { $0.id == request.id }
    send(.error(connection: request.connection, id: request.id, refusal, retryAfterMs: retryAfterMs))
  }

  /// Stores posts, and returns their receipts.
  ///
  /// - Parameter rule: Rule that forbids the producer to resend the posts.
  mutating func accept(_ keys: some Sequence<String>, by rule: ProducerRule = .accepted) -> [SubmitReceipt] {
    keys.map { key in
      forbidResend(key, by: rule)
      return .accepted(store(key))
    }
  }

  /// Stores the post of a key if it is new, and returns the post's id. Sends no receipt.
  @discardableResult
  mutating func store(_ key: String) -> PostID {
    let number = UInt64(stored.count) + 1_000_000_000
    guard let id = stored[key] ?? PostID(rawValue: number) else { preconditionFailure("The id is valid.") }
    stored[key] = id
    return id
  }

  /// Records that the producer must not resend a post.
  mutating func forbidResend(_ key: String, by rule: ProducerRule) {
    if resendForbidden[key] == nil { resendForbidden[key] = (rule, nowMs) }
  }

  /// Holds the reply to a batch until a later batch has its reply, at most for `orderMs`.
  mutating func hold(_ request: Request) { held = request }

  /// Replies to the held batch. Its first post is BUSY.
  private mutating func release() {
    guard let request = held else { return }
    held = nil
    expectedKeys = Set(request.keys.prefix(1))
    let rest = accept(request.keys.dropFirst(), by: .order)
    reply(request, [.busy(ProducerSuite.busyRefusal, retryAfterMs: ProducerSuite.orderMs)] + rest)
  }

  private mutating func replyToQueued() {
    queueMs = nowMs
    while !queued.isEmpty {
      let id = queued.removeFirst()
      guard let request = open.first(where: { $0.id == id }), id != stepBatch?.id else { continue }
      return reply(request)
    }
  }

  /// Ends the silence, and replies to all open requests. No reply reaches a lost connection, so its requests are no
  /// longer open.
  mutating func endSilence() {
    isSilent = false
    let lost = reconnectedMs == nil ? 0 : lostConnection
    open.removeAll { $0.connection <= lost }
    for request in open { reply(request) }
  }

  /// Ends the session of a token, and refuses its open requests.
  mutating func endSession(_ token: String) {
    endedSession = (token, nowMs)
    for request in open where request.token == token {
      refuse(request, .unauthorized, retryAfterMs: ProducerSuite.tokenPauseMs)
    }
  }
}

extension SubmittedPost {
  /// Returns true if two posts have the same content, regardless of their traces.
  fileprivate func isSame(as other: SubmittedPost) -> Bool {
    place == other.place && link == other.link && latitude == other.latitude && longitude == other.longitude
  }
}
