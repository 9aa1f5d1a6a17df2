@testable import Conformance
@testable import Domain
@testable import Messaging

/// A producer that obeys the rules except for one fault, if any.
struct FaultyProducer {
  enum Fault: CaseIterable {
    case unreadable, shortToken, noID, oneID, noKey, otherPost, seventeen
    case repeatsAccepted, repeatsReplayed, repeatsRefused, ignoresLaterMinor, noResend, hurriedResend
    case forgetsBusyPosts, hurriesBusyPosts, forgetsBusy, hurriesBusy, acceptsFewReceipts, believesZero, acceptsAnyReply
    case believesGarbage, oneConnection, impatient, forgetsOnReconnect, waitsOnReconnect, keepsToken, hurriesToken
  }

  typealias ReceivedMessage = ProducerProbe.ReceivedMessage

  private struct Batch {
    let id: UInt64
    let posts: [SubmittedPost]
    let sinceMs: Int64
    var dueMs: Int64
  }

  let fault: Fault?
  /// Maximum number of open batches.
  let window: Int
  private var pending: [Batch] = []
  private var resends: [(post: SubmittedPost, dueMs: Int64)] = []
  private var connection = 1
  private var lastReceivedMs: Int64 = 0
  private var posts = 0
  private var lastID: UInt64 = 0
  private var token = String(repeating: "t", count: 43)
  private var tokenMs: Int64 = 0
  private var hasLoggedIn = false

  init(_ fault: Fault?, window: Int) {
    self.fault = fault
    self.window = fault == .seventeen ? 17 : window
    if fault == .shortToken { token = "short" }
  }

  mutating func tick(nowMs: Int64) -> [ReceivedMessage] {
    guard nowMs >= tokenMs else { return [] }
    var sent: [ReceivedMessage] = []
    let silenceMs: Int64 = fault == .impatient ? 3_000 : 6_000
    let oldestMs = pending.map(\.sinceMs).min() ?? nowMs
    if nowMs - max(lastReceivedMs, oldestMs) > silenceMs, fault != .oneConnection {
      (connection, lastReceivedMs) = (connection + 1, nowMs)
      if fault == .forgetsOnReconnect { pending = [] }
      for index in pending.indices where fault != .waitsOnReconnect { pending[index].dueMs = nowMs }
    }
    for index in pending.indices where pending[index].dueMs <= nowMs && fault != .noResend {
      pending[index].dueMs = nowMs + 5_000
      sent.append(message(pending[index]))
    }
    while pending.count < window {
      let due = resends.filter { $0.dueMs <= nowMs }.map(\.post)
      resends.removeAll { $0.dueMs <= nowMs }
      lastID += fault == .noID || fault == .oneID && lastID == 1 ? 0 : 1
      let posts = due + (0..<max(0, 4 - due.count)).map { _ in newPost() }
      let timeoutMs: Int64 = fault == .hurriedResend ? 2_000 : 5_000
      pending.append(Batch(id: lastID, posts: posts, sinceMs: nowMs, dueMs: nowMs + timeoutMs))
      sent.append(message(pending[pending.count - 1]))
    }
    return sent
  }

  mutating func receive(_ effect: ConformanceEffect<ProducerProbe.Stimulus>, nowMs: Int64) {
    guard case .send(let stimulus) = effect else { return }
    switch stimulus {
    case .receipts(_, let id, let receipts, let isLater):
      lastReceivedMs = nowMs
      if isLater, fault == .ignoresLaterMinor { return }
      let index = fault == .acceptsAnyReply ? pending.indices.first : pending.firstIndex { $0.id == id }
      if let index { apply(receipts, of: index, nowMs: nowMs) }
    case .error(_, let id, let refusal, let pauseMs):
      lastReceivedMs = nowMs
      let index = fault == .believesZero && id == 0 ? pending.indices.first : pending.firstIndex { $0.id == id }
      guard let index else { return }
      apply(refusal, pauseMs: pauseMs, of: index, nowMs: nowMs)
    case .malformed(_, let id, let receipts):
      if fault == .believesGarbage, let index = pending.firstIndex(where: { $0.id == id }) {
        apply(receipts, of: index, nowMs: nowMs)
      }
    case .statuses: break
    }
  }

  private mutating func apply(_ receipts: [SubmitReceipt], of index: Int, nowMs: Int64) {
    let batch = pending[index]
    guard receipts.count == batch.posts.count || fault == .acceptsFewReceipts else { return }
    pending.remove(at: index)
    for (post, receipt) in zip(batch.posts, receipts) {
      switch receipt {
      case .accepted: if fault == .repeatsAccepted { resends.append((post, nowMs + 700)) }
      case .replayed: if fault == .repeatsReplayed { resends.append((post, nowMs + 700)) }
      case .refused: if fault == .repeatsRefused { resends.append((post, nowMs + 700)) }
      case .busy(_, let pauseMs):
        if fault != .forgetsBusyPosts { resends.append((post, nowMs + (fault == .hurriesBusyPosts ? 0 : pauseMs))) }
      }
    }
  }

  private mutating func apply(_ refusal: ProducerProbe.Refusal, pauseMs: Int64, of index: Int, nowMs: Int64) {
    switch refusal {
    case .malformed: pending.remove(at: index)
    case .busy:
      if fault == .forgetsBusy {
        pending.remove(at: index)
      } else {
        pending[index].dueMs = nowMs + (fault == .hurriesBusy ? 10 : pauseMs)
      }
    case .unauthorized:
      if fault == .keepsToken {
        pending[index].dueMs = nowMs + pauseMs
      } else if !hasLoggedIn {
        (token, hasLoggedIn) = (String(repeating: "n", count: 43), true)
        tokenMs = nowMs + (fault == .hurriesToken ? 10 : pauseMs)
        for index in pending.indices { pending[index].dueMs = tokenMs }
      }
    }
  }

  private mutating func newPost() -> SubmittedPost {
    posts += 1
    let key = fault == .noKey ? "" : "key \(posts)"
    return SubmittedPost(idempotencyKey: key, place: "Oslo", link: "https://example.org/\(posts)")
  }

  private func message(_ batch: Batch) -> ReceivedMessage {
    let isFirst = batch.dueMs - batch.sinceMs == 5_000
    let posts =
      fault == .otherPost && !isFirst
      ? batch.posts.map { SubmittedPost(idempotencyKey: $0.idempotencyKey, place: "Lima", link: $0.link) } : batch.posts
    let body: ReceivedMessage.Body = fault == .unreadable ? .unreadable("a frame of major 2") : .batch(posts)
    return ReceivedMessage(
      connection: connection, id: batch.id, token: token, byteCount: 100 * batch.posts.count, body: body)
  }
}
