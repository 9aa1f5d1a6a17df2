import SwiftProtobuf

@testable import Domain
@testable import Messaging

extension GoldenFrame {
  private static let ids = [PostID.numbered(1_026), .numbered(1_027)]

  static let ofOperators: [GoldenFrame] = {
    func asked(_ file: String, _ request: AdminRequest) -> GoldenFrame {
      frame("admin", file, AdminRequestFrame.self, AdminRequestFrame(id: 5, request).bytes) { bytes in
        guard let frame = try? AdminRequestFrame(serializedBytes: bytes) else { return false }
        return (try? frame.request()) == request && frame.requestID == 5
      }
    }
    return [
      asked("status", .status), asked("list", .list(state: .dead, reason: "timeout", after: ids[0], limit: 50)),
      asked("show", .show(ids[0])), asked("retry", .retry(.these(ids))),
      asked("all.retry", .retry(.all(reason: "workers_lost", after: ids[1]))), asked("discard", .discard(ids)),
      asked("pause", .pause), asked("resume", .resume),
      asked("users", .users(email: nil, after: AccountID(rawValue: 7), limit: 50)),
      asked(
        "add_user",
        .addUser(NewUser(email: "zoe@example.org", firstName: "Zoë", lastName: "京", password: "a long sentence"))),
      // The frame contains `disabled`, although its value is false.
      asked("set_user", .setUser(email: "zoe@example.org", .enable)),
    ]
  }()

  static let ofAdministration: [GoldenFrame] = {
    func answered(_ file: String, _ answer: AdminReply) -> GoldenFrame {
      frame("admin", file, AdminReplyFrame.self, AdminReplyFrame(id: 5, answer).bytes) { bytes in
        guard let frame = try? AdminReplyFrame(serializedBytes: bytes) else { return false }
        return frame.answer == answer && frame.requestID == 5
      }
    }
    let history = [
      PostEvent(kind: .failed, atMs: 1_763_856_000_000, reason: .init(code: "timeout", detail: "no answer")),
      PostEvent(kind: .leaseLost, atMs: 1_763_856_001_000, reason: .init(code: "", detail: "")),
    ]
    let unchanged: [QueueChange.Unchanged] = [
      .init(id: .numbered(1_028), state: .published), .init(id: .numbered(1_029), state: nil),
    ]
    return [
      answered("status", .status(.sample)),
      answered("list", .list([.sample(1_026), .sample(1_027, state: .leased)], next: ids[1])),
      answered("report", .report(.sample(1_026), history)),
      answered("changed", .changed(QueueChange(done: ids, unchanged: unchanged, next: ids[1]))),
      answered("pause", .paused(sinceMs: 1_763_856_000_000)),
      answered("error", .refused(AdminRefusal(.notFound, "there is no post 4D2qwHkYwD"))),
      answered("users", .users([.sample], next: AccountID(rawValue: 3))), answered("user", .user(.sample)),
    ]
  }()
}
