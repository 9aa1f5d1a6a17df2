import Domain
import Logging
import Store
import Synchronization
import Testing
import Web

@testable import Ingest
@testable import Messaging

/// Tests of the replies to producers, with the real queue and store. The tests of the submission link cover the frames.
@Suite("Submissions over ZeroMQ")
struct SubmissionsTests {
  private let map: IngestFixture
  private let replies = CommandQueue<SubmitServer.Command>(WakeupEvent())
  private let submissions: Submissions
  private let ticket = SubmitServer.Ticket(peer: [1, 2, 3], request: 7)

  init() throws {
    map = try IngestFixture(workers: 0)
    let components = map.components
    submissions = Submissions(
      database: components.database, queue: components.queue, sessions: components.providers.logins.sessions,
      replies: replies, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private func reply(to request: SubmitServer.Request) async throws -> SubmitServer.Command {
    submissions.handle([request])
    return try await eventually("the request gets a reply") { replies.drain().first }
  }

  private func receipts(_ posts: [SubmittedPost]) async throws -> [SubmitReceipt] {
    let account = try await map.account("ada@example.org").id
    guard case .replied(ticket, .receipts(let receipts)) = try await reply(to: .batch(ticket, account, posts)) else {
      throw TimeoutError(description: "the reply has no receipts")
    }
    return receipts
  }

  private func post(_ key: String, _ place: String = "Oslo", link: String = "example.org") -> SubmittedPost {
    SubmittedPost(idempotencyKey: key, place: place, link: link)
  }

  @Test("A batch gets one receipt per post, in order: accepted, replayed, refused or conflicting")
  func batch() async throws {
    let first = try await receipts([post("a"), post("b", "Lima")])
    guard case .accepted(let a) = first[0], case .accepted(let b) = first[1], first.count == 2 else {
      Issue.record("\(first)")
      return
    }
    let database = map.components.database
    #expect(try await database.posts([a, b]).map(\.place).sorted() == ["Lima", "Oslo"])
    let second = try await receipts([
      post("c", ""), post("a"), post("b", "Rome"), post("", "Oslo"), post("d", link: "ftp://example.org"), post("e"),
    ])
    #expect(second.count == 6 && second[1] == .replayed(a))
    let codes = second.map { receipt in if case .refused(let refusal) = receipt { refusal.code } else { "" } }
    #expect(
      codes == ["invalid_place", "", "idempotency_key_reused", "invalid_idempotency_key", "invalid_link", ""])
    guard case .accepted = second[5] else {
      Issue.record("\(second[5])")
      return
    }
    #expect(try await map.users().map(\.posts) == [3])
  }

  @Test("A batch of invalid posts is refused without the store")
  func wrong() async throws {
    let receipts = try await receipts([post("a", ""), post("b", link: "")])
    let fields = receipts.map { receipt in if case .refused(let refusal) = receipt { refusal.field } else { "" } }
    #expect(fields == ["place", "link"])
    #expect(try await map.users().map(\.posts) == [0])
  }

  @Test("A full backlog makes new posts busy and replays known ones")
  func busy() async throws {
    let known = try await receipts([post("a")])
    map.components.queue.depth.store(Limits.queueDepthMax, ordering: .relaxed)
    let full = try await receipts([post("a"), post("b")])
    #expect(full[0] == .replayed(try #require(known[0].post)))
    guard case .busy(let refusal, let retryAfterMs) = full[1] else {
      Issue.record("\(full[1])")
      return
    }
    #expect(refusal.code == "busy" && retryAfterMs == 2_000)
  }

  @Test("An unreachable database makes a post busy, with the time of the retry")
  func unavailable() {
    let receipt = SubmitReceipt(Problem(StoreError.unavailable("the connection was refused")))
    guard case .busy(let refusal, let retryAfterMs) = receipt else {
      Issue.record("\(receipt)")
      return
    }
    #expect(refusal.code == "store_unavailable" && retryAfterMs == 5_000)
  }

  @Test("A session token identifies its account, and other text is unauthenticated")
  func identify() async throws {
    let client = try await map.client.signedUp()
    let account = try await map.account("ada@example.org").id
    let token = try #require(client.token)
    for (token, expected) in [
      (token, SubmitAdmission.Identity.account(account)), (String(token.reversed()), .unauthenticated),
    ] {
      guard
        case .identified(peer: [9], token: token, let identity) =
          try await reply(to: .identify(peer: [9], token: token))
      else {
        Issue.record("The reply is not an identity.")
        return
      }
      #expect(identity == expected)
    }
  }

  @Test("A producer sees the states of its own posts, and of others' published posts, in order")
  func query() async throws {
    let receipts = try await receipts([post("a"), post("b", "Nowhere")])
    let ids = receipts.compactMap(\.post)
    let (ada, bob) = (try await map.account("ada@example.org").id, try await map.account("bob@example.org").id)
    let missing = try #require(PostID(rawValue: 1))
    func states(_ account: AccountID) async throws -> [Post.State?] {
      let request = SubmitServer.Request.query(ticket, account, [ids[1], missing, ids[0]])
      guard case .replied(ticket, .statuses(let statuses)) = try await reply(to: request) else {
        throw TimeoutError(description: "the reply has no statuses")
      }
      #expect(statuses.map(\.id) == [ids[1], missing, ids[0]])
      return statuses.map { $0.post?.state }
    }
    #expect(try await states(ada) == [.queued, nil, .queued])
    #expect(try await states(bob) == [nil, nil, nil])
    try map.addWorker()
    try await eventually("both posts are settled") { try await states(ada) == [.rejected, nil, .published] }
    #expect(try await states(bob) == [nil, nil, .published])
  }
}
