import Fuzzing
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Admin messages")
struct AdminWireTests {
  @Test("An admin request survives a round trip", arguments: AdminSamples.requests.indices)
  func requests(index: Int) throws {
    let request = AdminSamples.requests[index]
    let frame = try AdminRequestFrame(serializedBytes: AdminRequestFrame(id: 9, request).bytes)
    #expect(frame.requestID == 9 && frame.magic == Protocol.magic && frame.major == 1)
    #expect(try frame.request() == request)
  }

  @Test("An admin reply survives a round trip", arguments: AdminSamples.replies.indices)
  func replies(index: Int) throws {
    let frame = try AdminReplyFrame(serializedBytes: AdminReplyFrame(id: 9, AdminSamples.replies[index]).bytes)
    #expect(frame.requestID == 9 && frame.magic == Protocol.magic && frame.major == 1)
    #expect(frame.reply == AdminSamples.replies[index])
  }

  @Test("A forbidden admin request is refused with an error that names the fault")
  func forbidden() {
    let bad: [(AdminRequestFrame.OneOf_Body?, String)] = [
      (nil, "body"), (.list(.with { $0.state = .published }), "state"),
      (.list(.with { $0.state = .UNRECOGNIZED(99) }), "state"),
      (.list(.with { ($0.state, $0.reason) = (.ready, "x") }), "reason"),
      (.list(.with { ($0.state, $0.after) = (.ready, "x") }), "id"), (.show(.init()), "id"),
      (.show(.with { $0.postID = "0123\u{1B}[2J" }), "id"), (.retry(.init()), "1 to 1000"),
      (.retry(.with { $0.postIds = Array(repeating: "0000000001", count: 1_001) }), "not 1001"),
      (.retry(.with { ($0.postIds, $0.all) = (["0000000001"], .init()) }), "exclude"), (.discard(.init()), "1 to 1000"),
      (.discard(.with { $0.postIds = ["0000000001", "?"] }), "id"), (.setUser(.with { $0.email = "a@b" }), "change"),
      (.backUp(.init()), "absolute path"), (.backUp(.with { $0.folder = "backups" }), "absolute path"),
      (.backUp(.with { $0.folder = "/a\0b" }), "without a zero"),
      (.backUp(.with { $0.folder = "/" + String(repeating: "a", count: Limits.backupPathBytesMax) }), "4095 bytes"),
      (.backUp(.with { ($0.folder, $0.keep) = ("/b", 1_001) }), "1 to 1000, not 1001"),
    ]
    for (body, word) in bad {
      let frame = AdminRequestFrame.with { $0.body = body }
      let refusal = #expect(throws: AdminRefusal.self) { try frame.request() }
      #expect(refusal?.code == .malformed && refusal?.detail.contains(word) == true)
      #expect(refusal?.detail.isSafeLine == true)
    }
  }

  @Test(
    "A list limit is clamped to its range", arguments: [(0, 1), (1, 1), (1_000, 1_000), (1_001, 1_000), (.max, 1_000)])
  func limit(requested: UInt32, clamped: Int) throws {
    let frame = AdminRequestFrame.with { $0.list = .with { ($0.state, $0.limit) = (.ready, requested) } }
    #expect(try frame.request() == .list(state: .ready, reason: nil, after: nil, limit: clamped))
  }

  @Test("The longest admin request and replies fit the frame limits")
  func longest() {
    let ids = (0..<UInt64(Limits.adminPostsMax)).map { PostID.numbered(839_299_365_868_340_223 - $0) }
    #expect(AdminRequestFrame(id: .max, .discard(ids)).bytes.count <= Limits.adminRequestBytesMax)
    var status = QueueStatus.sample
    let worker = QueueSnapshot.Worker(
      session: .max, name: String(repeating: "x", count: 64), credit: 64, leases: 64, jobsSent: .max,
      results: .init(total: .max, perSecond: 1e9), failed: .max, lastSeenAgoMs: .max, isRemote: true)
    status.queue.workers = Array(repeating: worker, count: Limits.sessionsMax)
    let feed = QueueStatus.Feed(name: String(repeating: "x", count: 64), seq: .max, lastSeenAgoMs: .max)
    status.feeds = Array(repeating: feed, count: Limits.feedsMax)
    #expect(AdminReplyFrame(id: .max, .status(status)).bytes.count <= Limits.adminReplyBytesMax)
    let entries = ids.map { id in
      var entry = QueueEntry(
        id: id, state: .dead, account: AccountID(rawValue: .max), place: String(repeating: "x", count: 256), link: "",
        attempts: 8, leaseLosses: 3,
        reason: .init(code: String(repeating: "x", count: 64), detail: String(repeating: "x", count: 256)), label: "",
        createdMs: 253_402_300_799_999, updatedMs: 253_402_300_799_999)
      (entry.worker, entry.remainingMs) = (String(repeating: "x", count: 64), .max)
      return entry
    }
    #expect(AdminReplyFrame(id: .max, .list(entries, next: ids.last)).bytes.count <= Limits.adminReplyBytesMax)
    let account = Account(
      id: AccountID(rawValue: .max), email: String(repeating: "x", count: 254),
      firstName: String(repeating: "x", count: 100), lastName: String(repeating: "x", count: 100),
      createdMs: 253_402_300_799_999)
    let user = User(account: account, disabledMs: 253_402_300_799_999, sessions: 1_000_000, posts: .max)
    let users = AdminReply.users(Array(repeating: user, count: Limits.adminUsersMax), next: account.id)
    #expect(AdminReplyFrame(id: .max, users).bytes.count <= Limits.adminReplyBytesMax)
  }

  @Test("A mutated admin frame is refused or survives a round trip")
  func fuzz() {
    Fuzz.rounds(4_000) { random in
      let bytes = random.changed(random.one(of: AdminSamples.frames), with: AdminSamples.frames)
      let request = try? (try? AdminRequestFrame(serializedBytes: bytes))?.request()
      if let request {
        let again = AdminRequestFrame(id: 1, request)
        try #require(try again.request() == request, "\(bytes)")
      }
      let reply = (try? AdminReplyFrame(serializedBytes: bytes))?.reply
      if let reply, let again = AdminReplyFrame(id: 1, reply).reply {
        try #require(AdminReplyFrame(id: 1, again).bytes == AdminReplyFrame(id: 1, reply).bytes, "\(bytes)")
      } else {
        try #require(reply == nil, "\(bytes)")
      }
      return request != nil || reply != nil
    }
  }
}
