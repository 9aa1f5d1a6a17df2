import Domain
import HTTPTypes
import InMemoryLogging
import Logging
import Metrics
import Store
import Synchronization
import Testing
import Web

@testable import Ingest
@testable import Messaging

@Suite("Post pipeline")
struct PostPipelineTests {
  private let map: IngestFixture
  private var queue: PostPipeline { map.components.queue }
  private var depth: Int { queue.depth.load(ordering: .relaxed) }

  /// Runs without a worker, so accepted posts stay queued until a test settles them.
  init() throws { map = try IngestFixture(workers: 0) }

  private func submission(_ place: String = "Oslo") throws -> Submission {
    try Submission(place: place, link: "example.org", latitude: nil, longitude: nil)
  }

  private func accept(
    _ place: String = "Oslo", key: String? = nil, waits: Bool = false, into queue: PostPipeline? = nil
  ) async throws -> (id: PostID, isNew: Bool, waits: Bool) {
    let queue = queue ?? self.queue
    let submission = try submission(place)
    let idempotency = try key.map { try Idempotency(key: $0, of: submission) }
    let account = try await map.account("ada@example.org").id
    let result = try await queue.accept(submission, account: account, idempotency: idempotency, waits: waits)
    return (result.accepted.id, result.accepted.job != nil, result.waits)
  }

  /// Fills the backlog except for `slots` free slots.
  private func fill(leaving slots: Int) { queue.depth.add(Limits.queueDepthMax - depth - slots, ordering: .relaxed) }

  @Test("An accepted post is durable and counts in the depth until it leaves the queue")
  func depthOfPosts() async throws {
    let first = try await accept()
    #expect(first.isNew && depth == 1)
    #expect(try await map.components.database.post(first.id)?.state == .queued)
    _ = try await accept("Lima")
    #expect(depth == 2)
    queue.perform(.leftQueue([first.id]))
    #expect(depth == 1)
  }

  @Test("A repeated key replays the post without a slot, and a conflict releases its slot")
  func replay() async throws {
    let first = try await accept(key: "k")
    let again = try await accept(key: "k")
    #expect(again.id == first.id && !again.isNew && depth == 1)
    await #expect(throws: IdempotencyConflict.self) { try await accept("Lima", key: "k") }
    #expect(depth == 1)
    fill(leaving: 0)
    #expect(try await accept(key: "k").id == first.id)
  }

  @Test("A full backlog refuses posts with Retry-After until a post leaves")
  func full() async throws {
    let first = try await accept()
    fill(leaving: 1)
    #expect(!queue.isFull)
    _ = try await accept()
    #expect(queue.isFull)
    for key in [nil, "new"] {
      await #expect { try await accept(key: key) } throws: { error in
        (error as? Problem)?.code == "busy" && (error as? Problem)?.retryAfterSeconds == 2
      }
    }
    #expect(depth == Limits.queueDepthMax, "A refused post must take no slot.")
    queue.perform(.leftQueue([first.id]))
    _ = try await accept()
  }

  @Test("Posts of one batch get the free slots in order, and the batch releases unused slots")
  func group() async throws {
    fill(leaving: 3)
    let account = try await map.account("ada@example.org").id
    let oslo = try submission()
    let key = try Idempotency(key: "k", of: oslo)
    let other = try Idempotency(key: "k", of: submission("Lima"))
    let posts = [
      NewPost(oslo, key), NewPost(oslo, key), NewPost(try submission("Lima"), other), NewPost(oslo, nil),
      NewPost(oslo, nil), NewPost(oslo, nil),
    ]
    let (acceptances, refusal) = await withCheckedContinuation { continuation in
      queue.accept(posts, account: account, counting: Counter(label: "test")) { result, refusal in
        continuation.resume(returning: ((try? result.get()) ?? [], refusal))
      }
    }
    let words = acceptances.map { acceptance in
      switch acceptance {
      case .accepted(let accepted): accepted.job == nil ? "replayed" : "new"
      case .conflict: "conflict"
      case .backlogFull: "backlog full"
      }
    }
    #expect(words == ["new", "replayed", "conflict", "new", "new", "backlog full"])
    #expect(refusal.code == "busy" && depth == Limits.queueDepthMax)
  }

  @Test("A stalled backlog refuses posts, with one log line for each change")
  func behind() async throws {
    let log = InMemoryLogHandler()
    // A separate pipeline: ingest's job link reports the wait to its own pipeline with each heartbeat.
    let queue = PostPipeline(
      database: map.components.database, jobs: CommandQueue(WakeupEvent()), changes: CommandQueue(WakeupEvent()),
      lookups: self.queue.lookups,
      depth: 0, waitMaxMs: 1_000, postsPerMinute: nil, logger: Logger(label: "ingest") { _ in log })
    for waitMs: Int64 in [0, 999] { queue.recordQueueWait(waitMs) }
    _ = try await accept(key: "k", into: queue)
    for _ in 0..<3 { queue.recordQueueWait(1_000) }
    #expect(queue.waitsTooLong)
    await #expect { try await accept(into: queue) } throws: { error in
      (error as? Problem)?.code == "busy" && (error as? Problem)?.retryAfterSeconds == 30
    }
    #expect(try await !accept(key: "k", into: queue).isNew, "A replayed post must be accepted.")
    for _ in 0..<3 { queue.recordQueueWait(0) }
    #expect(!queue.waitsTooLong)
    _ = try await accept(into: queue)
    #expect(log.entries.count { "\($0.message)".contains("backlog stalled") } == 1)
    #expect(log.entries.count { "\($0.message)".contains("backlog recovered") } == 1)
  }

  @Test("A post has one waiting request, and any write that settles the post ends the wait")
  func wait() async throws {
    let first = try await accept(key: "k", waits: true)
    #expect(first.waits)
    #expect(try await !accept(key: "k", waits: true).waits, "A post must have one waiter.")
    let database = map.components.database
    async let wait: Void = queue.outcome(of: first.id, withinMs: 3_600_000)
    let reason = Verdict.Reason(code: "down", detail: "try again")
    database.settle(
      [SettlementRecord(first.id, .dead(reason, attempts: 1))], unixMs: 1, completion: CommitCompletion { _ in })
    await wait
    #expect(try await database.post(first.id)?.state == .dead)
  }

  @Test("A wait for a queued post ends with its settlement or by its timeout")
  func settlement() async throws {
    let (database, id) = (map.components.database, try await accept().id)
    async let stateAfterwards = {
      try await queue.settlement(of: id, withinMs: 3_600_000)
      return try await database.post(id)?.state
    }()
    // A wait that ends immediately would find the post queued.
    try await Task.sleep(for: .milliseconds(100))
    database.settle(
      [SettlementRecord(id, .dead(Verdict.Reason(code: "down", detail: "try again"), attempts: 1))], unixMs: 1,
      completion: CommitCompletion { _ in })
    #expect(try await stateAfterwards == .dead)
    try await queue.settlement(of: id, withinMs: 3_600_000)
    let other = try await accept().id
    try await queue.settlement(of: other, withinMs: 100)
    #expect(try await database.post(other)?.state == .queued)
  }

  @Test("Deleting a post ends the wait for it")
  func deleted() async throws {
    let account = try await map.account("ada@example.org").id
    let post = try await accept(waits: true)
    async let wait: Void = queue.outcome(of: post.id, withinMs: 60_000)
    try await queue.delete(post.id, of: account)
    await wait
    #expect(try await map.components.database.post(post.id) == nil)
    await #expect { try await queue.delete(post.id, of: account) } throws: {
      ($0 as? Problem)?.code == "post_not_found"
    }
    await #expect {
      try await queue.delete(try await accept().id, of: AccountID(rawValue: 99))
    } throws: { ($0 as? Problem)?.code == "post_not_found" }
  }

  @Test("Erasing a closed account removes all its posts and ends their waits")
  func erased() async throws {
    let account = try await map.account("ada@example.org").id
    let post = try await accept(waits: true)
    _ = try await accept("Lima")
    async let wait: Void = queue.outcome(of: post.id, withinMs: 60_000)
    try await queue.erasePosts(of: account)
    await wait
    #expect(try await map.users().map(\.posts) == [0])
  }

  @Test("A worker's results are settled in the store and leave the queue")
  func settled() async throws {
    let ids = [try await accept().id, try await accept("Nowhere").id]
    try map.addWorker()
    try await eventually("the queue is empty") { depth == 0 }
    let states = Dictionary(
      uniqueKeysWithValues: try await map.components.database.posts(ids).map { ($0.id, $0.state) })
    #expect(states == [ids[0]: .published, ids[1]: .rejected])
  }

  @Test("A dead post is retried if the backlog has a free slot")
  func retried() async throws {
    let id = try await accept().id
    try map.addWorker { _ in .failed(.init(kind: .permanent, code: "bad_place", detail: "no place is good")) }
    try await eventually("the post is dead") { try await map.components.database.post(id)?.state == .dead }
    map.endWorkers()
    try await eventually("the post has left the queue") { depth == 0 }
    fill(leaving: 0)
    await #expect(throws: AdminRefusal.self) { try await queue.retryDead(.posts([id])) }
    #expect(depth == Limits.queueDepthMax)
    fill(leaving: 5)
    let change = try await queue.retryDead(.posts([id]))
    #expect(change.done.count == 1)
    #expect(depth == Limits.queueDepthMax - 4)
    #expect(try await map.components.database.post(id)?.state == .queued)
    #expect(try await queue.retryDead(.posts([id])).done.isEmpty, "A retried post must not be retried again.")
    #expect(depth == Limits.queueDepthMax - 4)
  }

  @Test("The rate limiter counts each post of an account and takes refunds")
  func rates() async throws {
    let limited = try map.restarted(workers: 0) { $0.postsPerMinute = 3 }
    let queue = limited.components.queue
    let (ada, bob) = (AccountID(rawValue: 1), AccountID(rawValue: 2))
    #expect(queue.consumeRate(2, of: ada).allowed == 2)
    let (allowed, refusal) = queue.consumeRate(2, of: ada)
    #expect(allowed == 1 && refusal?.code == "too_many_posts" && refusal?.status.code == 429)
    queue.refundRate(1, of: ada)
    #expect(queue.consumeRate(1, of: ada).refusal == nil)
    #expect(queue.consumeWholeRate(1, of: ada)?.code == "too_many_posts")
    #expect(queue.consumeWholeRate(0, of: ada) == nil, "Zero edits must cost nothing.")
    #expect(queue.consumeRate(3, of: bob).refusal == nil)
    #expect(
      map.components.queue.consumeRate(1_000, of: ada).allowed == 1_000, "By default there must be no rate limit.")
  }
}
