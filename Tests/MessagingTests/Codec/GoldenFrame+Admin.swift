import SwiftProtobuf

@testable import Domain
@testable import Messaging

extension GoldenFrame {
  private static let ids = [PostID.numbered(1_026), .numbered(1_027)]

  static let adminRequestFrames: [GoldenFrame] = {
    func request(_ file: String, _ request: AdminRequest) -> GoldenFrame {
      frame("admin", file, AdminRequestFrame.self, AdminRequestFrame(id: 5, request).bytes) { bytes in
        guard let frame = try? AdminRequestFrame(serializedBytes: bytes) else { return false }
        return (try? frame.request()) == request && frame.requestID == 5
      }
    }
    return [
      request("status", .status), request("list", .list(state: .dead, reason: "timeout", after: ids[0], limit: 50)),
      request("show", .show(ids[0])), request("retry", .retry(.posts(ids))),
      request("all.retry", .retry(.all(reason: "workers_lost", after: ids[1]))), request("discard", .discard(ids)),
      request("pause", .pause), request("resume", .resume),
      request("users", .users(email: nil, after: AccountID(rawValue: 7), limit: 50)),
      request(
        "add_user",
        .addUser(NewUser(email: "zoe@example.org", firstName: "Zoë", lastName: "京", password: "a long sentence"))),
      // The frame contains `disabled`, although its value is false.
      request("set_user", .setUser(email: "zoe@example.org", .enable)),
      request("back_up", .backUp(BackupRequest(folder: "/backups", keep: 14, isSameDeviceAllowed: true))),
      request("backup_state", .backupState),
    ]
  }()

  static let adminReplyFrames: [GoldenFrame] = {
    func reply(_ file: String, _ reply: AdminReply) -> GoldenFrame {
      frame("admin", file, AdminReplyFrame.self, AdminReplyFrame(id: 5, reply).bytes) { bytes in
        guard let frame = try? AdminReplyFrame(serializedBytes: bytes) else { return false }
        return frame.reply == reply && frame.requestID == 5
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
      reply("status", .status(.sample)),
      reply("list", .list([.sample(1_026), .sample(1_027, state: .leased)], next: ids[1])),
      reply("report", .report(.sample(1_026), history)),
      reply("changed", .changed(QueueChange(done: ids, unchanged: unchanged, next: ids[1]))),
      reply("pause", .paused(sinceMs: 1_763_856_000_000)),
      reply("error", .refused(AdminRefusal(.notFound, "there is no post 4D2qwHkYwD"))),
      reply("users", .users([.sample], next: AccountID(rawValue: 3))), reply("user", .user(.sample)),
      reply(
        "backup", .backup(BackupState(number: 2, startedMs: 1_763_856_000_000, outcome: .succeeded(.sample)))),
    ]
  }()
}
