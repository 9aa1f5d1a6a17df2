import Domain

/// The queue's status for people. Pure, so that it can be tested without an ingest.
struct QueueText {
  private let status: QueueStatus
  private let unixMs: Int64

  init(_ status: QueueStatus, unixMs: Int64) {
    self.status = status
    self.unixMs = unixMs
  }

  /// All of it.
  func lines() -> [String] { summary + (status.queue.workers.isEmpty ? [] : [""] + workers) }

  /// The queue, line by line, each with a word before it.
  var summary: [String] {
    let queue = status.queue
    return [
      "queue     \(state) · \(queue.depth) of \(status.depthMax) posts\(oldest)",
      "          "
        + [
          "\(queue.ready) ready", "\(queue.leased) leased", "\(queue.settling) settling", "\(queue.delayed) delayed",
          "\(queue.waiting) waiting", counted(queue.lookups, "look-up"),
        ].joined(separator: " · "),
      "rates     accepted \(rate(status.accepted)) · settled \(rate(status.settled)) · failed \(rate(status.failed))",
      "disk      \(disk)",
      "commits   p50 \(milliseconds(status.commits.p50Us)) · p99 \(milliseconds(status.commits.p99Us))"
        + " · \(status.commits.count) in all",
      "dead      \(status.dead)" + (status.dead == 0 ? "" : ": " + dead),
      "feeds     \(status.feeds.count)" + (status.feeds.isEmpty ? "" : ": " + feeds),
      "workers   \(queue.workers.count)",
    ]
  }

  /// A table, heading first; only that where there are none.
  var workers: [String] {
    TextTable.lines(
      [["WORKER", "CREDIT", "LEASES", "SENT", "ANSWERED", "FAILED", "HEARD", ""]]
        + status.queue.workers.map { worker in
          [
            worker.name, "\(worker.credit)", "\(worker.leases)", "\(worker.jobsSent)", rate(worker.answered),
            "\(worker.failed)", shortAge(ms: worker.heardAgoMs), worker.isRemote ? "remote" : "",
          ]
        }, right: [1, 2, 3, 4, 5, 6]
    ).map(\.trimmedEnd)
  }

  /// All in one line, for a log.
  var line: String {
    let queue = status.queue
    return [
      timestamp(unixMs: unixMs), word,
      "depth=\(queue.depth)",
      "ready=\(queue.ready)", "leased=\(queue.leased)", "settling=\(queue.settling)", "delayed=\(queue.delayed)",
      "waiting=\(queue.waiting)", "dead=\(status.dead)", "workers=\(queue.workers.count)",
      "feeds=\(status.feeds.count)", "subscribers=\(subscribers)", "accepted=\(rate(status.accepted))",
      "settled=\(rate(status.settled))",
      "failed=\(rate(status.failed))", "commit_p50_ms=\(number(Double(status.commits.p50Us) / 1_000))",
      "commit_p99_ms=\(number(Double(status.commits.p99Us) / 1_000))", "disk_free_bytes=\(status.disk.freeBytes)",
    ].joined(separator: " ")
  }

  /// The state in one word.
  private var word: String {
    if status.disk.fullMs != nil { return "DISK_FULL" }
    return state.split(whereSeparator: { " :".contains($0) }).first.map(String.init) ?? ""
  }

  /// "running", or since when it is not, or why it takes no more.
  var state: String {
    if let fullMs = status.disk.fullMs {
      return "DISK FULL OR NEARLY FULL for \(longAge(ms: unixMs - fullMs)): writes that do not fit are refused"
    }
    if let pausedMs = status.pausedMs { return "PAUSED for \(longAge(ms: unixMs - pausedMs))" }
    // An ingest of before says 0 of both.
    guard status.waitMaxMs > 0, status.queue.longestWaitMs >= status.waitMaxMs else { return "running" }
    return "REFUSING: a post waits \(longAge(ms: status.queue.longestWaitMs)) for a worker"
  }

  /// True if an operator has to act.
  var isTrouble: Bool { state != "running" }

  /// How long ingest runs.
  var up: String { longAge(ms: status.upMs) }

  private var oldest: String { status.oldestMs.map { " · oldest \(longAge(ms: unixMs - $0))" } ?? "" }

  /// The disk space in words; "unknown" from an older ingest, which does not send it.
  private var disk: String {
    let disk = status.disk
    guard disk.sizeBytes > 0 else { return "unknown" }
    return [
      "\(bytes(disk.freeBytes)) of \(bytes(disk.sizeBytes)) free", "database \(bytes(disk.databaseBytes))",
    ].joined(separator: " · ")
  }

  private var dead: String {
    let others = status.dead - status.deadByReason.reduce(0) { $0 + $1.count }
    return (status.deadByReason.map { "\($0.reason) \($0.count)" } + (others > 0 ? ["others \(others)"] : []))
      .joined(separator: " · ")
  }

  private var feeds: String {
    status.feeds.map { feed in
      "\(feed.name) seq \(feed.seq)" + (feed.subscribers.map { ", " + counted($0, "subscriber") } ?? "")
    }.joined(separator: " · ")
  }

  /// Of all feeds that tell.
  private var subscribers: Int { status.feeds.reduce(0) { $0 + ($1.subscribers ?? 0) } }

  private func rate(_ reading: RateMeter.Reading) -> String { "\(number(reading.perSecond))/s" }

  private func milliseconds(_ us: Int64) -> String { "\(number(Double(us) / 1_000)) ms" }

  /// Formats bytes in units of 1,000, as disks are sold.
  private func bytes(_ count: Int64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
    var (value, unit) = (Double(max(0, count)), 0)
    while value >= 999.95, unit < units.count - 1 { (value, unit) = (value / 1_000, unit + 1) }
    return unit == 0 ? "\(count) B" : "\(number(value)) \(units[unit])"
  }

  /// With one digit behind the point.
  private func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
