import Domain
import Foundation
import Testing

@testable import Commands

@Suite("Queue status text and JSON")
struct QueueTextTests {
  private static let nowMs: Int64 = 1_700_000_100_000

  private static func id(_ number: UInt64) -> PostID {
    guard let id = PostID(rawValue: number) else { preconditionFailure("\(number) is no post id.") }
    return id
  }

  private static func status(workers: Int) -> QueueStatus {
    var status = QueueStatus()
    (status.queue.ready, status.queue.leased, status.queue.lookups) = (15, 2, 1)
    status.queue.workers = (0..<workers).map { number in
      .init(
        session: UInt64(number), name: "worker-\(number)", credit: 62, leases: 2, jobsSent: 1_000,
        results: .init(total: 998, perSecond: 249.96), failed: 0, lastSeenAgoMs: 1_100, isRemote: number == 0)
    }
    (status.dead, status.deadByReason) = (5, [.init(reason: "workers_lost", count: 3)])
    (status.oldestMs, status.uptimeMs) = (nowMs - 130_000, 3_600_000)
    status.accepted = .init(total: 10, perSecond: 1_000.04)
    status.commits = .init(count: 77, p50Us: 1_249, p99Us: 9_000)
    status.feeds = [.init(name: "feed-1", seq: 1_027, lastSeenAgoMs: 12, subscribers: 3)]
    status.disk = DiskStatus(freeBytes: 12_345_678_900, sizeBytes: 49_960_000_000, databaseBytes: 999_949)
    return status
  }

  @Test("The status shows the backlog, its age, the rates and the workers")
  func lines() {
    let lines = QueueText(Self.status(workers: 1), unixMs: Self.nowMs).lines()
    #expect(
      lines == [
        "queue     running · 17 of 100000 posts · oldest 2 minutes",
        "          15 ready · 2 leased · 0 committing · 0 delayed · 0 waiting_remote · 1 lookup",
        "rates     accepted 1000.0/s · completed 0.0/s · failed 0.0/s",
        "disk      12.3 GB of 50.0 GB free · database 999.9 kB",
        "commits   p50 1.2 ms · p99 9.0 ms · 77 total", "dead      5: workers_lost 3 · others 2",
        "feeds     1: feed-1 seq 1027, 3 subscribers", "workers   1", "",
        "WORKER    CREDIT  LEASES  SENT  ANSWERED  FAILED  LAST SEEN",
        "worker-0      62       2  1000   250.0/s       0         1s  remote",
      ])
    var late = Self.status(workers: 0)
    late.queue.longestWaitMs = late.waitMaxMs - 1
    #expect(QueueText(late, unixMs: Self.nowMs).state == "running")
    late.queue.longestWaitMs = 720_000
    #expect(QueueText(late, unixMs: Self.nowMs).state == "REFUSING: a post has waited 12 minutes for a worker")
    #expect(QueueText(late, unixMs: Self.nowMs).line.contains("Z REFUSING depth=17 "))
    (late.queue.longestWaitMs, late.waitMaxMs) = (0, 0)
    #expect(QueueText(late, unixMs: Self.nowMs).state == "running", "An older ingest reports no wait and no limit.")
    var paused = Self.status(workers: 0)
    paused.pausedMs = Self.nowMs - 7_200_000
    let text = QueueText(paused, unixMs: Self.nowMs)
    #expect(text.lines().first?.hasPrefix("queue     PAUSED for 2 hours · ") == true)
    #expect(text.lines().last == "workers   0")
    #expect(text.line.hasPrefix("2023-11-14T22:15:00.000Z PAUSED depth=17 ready=15 leased=2 "))
  }

  @Test(
    "Ages are written in words, in the singular and the plural",
    arguments: [
      (-5, "0 seconds"), (999, "0 seconds"), (1_000, "1 second"), (119_999, "119 seconds"), (120_000, "2 minutes"),
      (7_199_999, "119 minutes"), (7_200_000, "2 hours"), (172_800_000, "2 days"),
    ])
  func ages(ms: Int64, words: String) { #expect(longAge(ms: ms) == words) }

  @Test(
    "top fits into the window, whatever its size",
    arguments: [
      (80, 24, 3), (120, 40, 3), (80, 24, 100), (40, 10, 100), (20, 5, 9), (1, 1, 1), (300, 9, 2), (80, 10, 1),
    ])
  func window(columns: Int, rows: Int, workers: Int) {
    var table = TopTable(address: "ipc://./data/admin.sock", isColoured: false)
    let moment = RenderContext(unixMs: Self.nowMs, rows: rows, columns: columns)
    #expect(table.lines(moment).count == 1)
    _ = table.text(for: .success(Self.status(workers: workers)), moment)
    let lines = table.lines(moment)
    #expect(lines.count <= rows)
    #expect(lines.allSatisfy { WatchText($0).width == max(1, columns - 1) })
    if rows >= 24 {
      #expect(lines[0].hasPrefix("onthemap top · 22:15:00 · up 60 minutes · ipc://"))
      #expect(lines.count == min(rows, 11 + workers))
      #expect(lines.last?.hasPrefix(workers == 100 ? "… \(101 - (rows - 11)) more" : "worker-2") == true)
    }
  }

  @Test("top shows an error together with the last status, until it gets a new status")
  func lost() {
    var table = TopTable(address: "a", isColoured: true)
    let moment = RenderContext(unixMs: Self.nowMs)
    #expect(table.text(for: .failure(SettingError("It is gone.")), moment).contains("It is gone."))
    let first = table.text(for: .success(Self.status(workers: 1)), moment)
    #expect(!first.contains("It is gone.") && first.contains("worker-0"))
    let second = table.text(for: .failure(SettingError("It is gone.")), moment)
    #expect(second.contains("error     It is gone.") && second.contains("worker-0"))
    #expect(!second.contains("\u{1B}[2J"), "The window must not be cleared while its size stays the same.")
    #expect(!table.text(for: .success(Self.status(workers: 1)), moment).contains("error     "))
  }

  @Test("A full disk comes first in the status, in top and in the log line")
  func full() throws {
    var status = Self.status(workers: 1)
    (status.pausedMs, status.disk.fullMs, status.disk.freeBytes) = (Self.nowMs - 1_000, Self.nowMs - 180_000, 0)
    let text = QueueText(status, unixMs: Self.nowMs)
    let state = "DISK FULL OR NEARLY FULL for 3 minutes: ingest refuses writes that do not fit"
    #expect(text.lines().first?.hasPrefix("queue     \(state) · 17 of") == true)
    #expect(text.lines().contains("disk      0 B of 50.0 GB free · database 999.9 kB"))
    #expect(text.line.contains(" DISK_FULL depth=17 ") && text.line.hasSuffix("disk_free_bytes=0"))
    var table = TopTable(address: "a", isColoured: true)
    let window = table.text(for: .success(status), RenderContext(unixMs: Self.nowMs))
    #expect(window.contains("\u{1B}[1;33mqueue     DISK FULL"))
    #expect(QueueJSON.status(status).contains("\"disk\":{\"full\":true,\"fullAt\":"))
    status.disk = DiskStatus()
    #expect(QueueText(status, unixMs: Self.nowMs).lines().contains("disk      unknown"))
  }

  @Test("Columns of a list are aligned, and no text of users can control the terminal")
  func list() throws {
    var leased = QueueEntry(
      id: Self.id(1), state: .leased, account: AccountID(rawValue: 1), place: "A\u{1B}[2Jthens", link: "", attempts: 0,
      leaseLosses: 0, reason: nil, label: "", createdMs: Self.nowMs - 5_000, updatedMs: 0)
    (leased.worker, leased.remainingMs) = ("worker-1", 29_000)
    let dead = QueueEntry(
      id: Self.id(2), state: .dead, account: AccountID(rawValue: 1), place: "東京", link: "https://example.org/",
      attempts: 8, leaseLosses: 0, reason: .init(code: "down", detail: "a\u{202E}b"), label: "",
      createdMs: Self.nowMs - 90_000, updatedMs: Self.nowMs)
    #expect(
      QueueEntryText.list([leased, dead], unixMs: Self.nowMs) == [
        "ID          AGE  STATE   FAILURES  LOST LEASES  DETAIL                     PLACE",
        "0000000001   5s  leased         0            0  worker-1, 29 seconds left  A[2Jthens",
        "0000000002   1m  dead           8            0  down                       東京",
      ])
    let event = PostEvent(kind: .died, atMs: Self.nowMs, reason: .init(code: "down", detail: "a\u{1B}b"))
    let report = QueueEntryText.report(dead, [event], unixMs: Self.nowMs)
    #expect(report.first == "0000000002  dead: down, ab")
    #expect(report.last == "  2023-11-14T22:15:00.000Z  died  down: ab")
    #expect(report.contains("counts    8 failed attempts, 0 lost leases"))
    for line in [QueueJSON.list([leased, dead], next: Self.id(2)), QueueJSON.report(dead, [event])] {
      #expect(line.isSafeLine)
      #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
    }
  }

  @Test("The JSON status has every field")
  func json() throws {
    let text = QueueJSON.status(Self.status(workers: 2))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["depth"] as? Int == 17 && object["ready"] as? Int == 15 && object["dead"] as? Int == 5)
    #expect(object["paused"] as? Bool == false && object["pausedAt"] == nil)
    #expect((object["workers"] as? [[String: Any]])?.map { $0["name"] as? String } == ["worker-0", "worker-1"])
    #expect((object["commits"] as? [String: Any])?["p99Us"] as? Int == 9_000)
  }
}
