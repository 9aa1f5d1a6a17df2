import Domain

/// The queue's status as text for people. Pure, so that tests need no ingest.
struct QueueText {
  private let status: QueueStatus
  private let unixMs: Int64

  init(_ status: QueueStatus, unixMs: Int64) {
    self.status = status
    self.unixMs = unixMs
  }

  /// Returns the complete text.
  func lines() -> [String] { summary + (status.queue.workers.isEmpty ? [] : [""] + workers) }

  /// The lines above the table of workers.
  var summary: [String] {
    let queue = status.queue
    return [
      "queue     \(state) · \(queue.depth) of \(status.depthMax) posts\(oldest)",
      "          "
        + [
          "\(queue.ready) ready", "\(queue.leased) leased", "\(queue.committing) committing",
          "\(queue.delayed) delayed", "\(queue.waitingRemote) waiting_remote", counted(queue.lookups, "lookup"),
        ].joined(separator: " · "),
      "rates     accepted \(rate(status.accepted)) · completed \(rate(status.completed))"
        + " · failed \(rate(status.failed))",
      "disk      \(disk)",
      "commits   p50 \(milliseconds(status.commits.p50Us)) · p99 \(milliseconds(status.commits.p99Us))"
        + " · \(status.commits.count) total",
      "dead      \(status.dead)" + (status.dead == 0 ? "" : ": " + dead),
      "feeds     \(status.feeds.count)" + (status.feeds.isEmpty ? "" : ": " + feeds),
      "workers   \(queue.workers.count)",
    ]
  }

  /// The table of workers, with the heading first. Only the heading if there are no workers.
  var workers: [String] {
    TextTable.lines(
      [["WORKER", "CREDIT", "LEASES", "SENT", "ANSWERED", "FAILED", "LAST SEEN", ""]]
        + status.queue.workers.map { worker in
          [
            worker.name, "\(worker.credit)", "\(worker.leases)", "\(worker.jobsSent)", rate(worker.results),
            "\(worker.failed)", shortAge(ms: worker.lastSeenAgoMs), worker.isRemote ? "remote" : "",
          ]
        }, right: [1, 2, 3, 4, 5, 6]
    ).map(\.trimmedEnd)
  }

  /// The status as one line for a log.
  var line: String {
    let queue = status.queue
    return [
      timestamp(unixMs: unixMs), stateName,
      "depth=\(queue.depth)",
      "ready=\(queue.ready)", "leased=\(queue.leased)", "committing=\(queue.committing)", "delayed=\(queue.delayed)",
      "waiting_remote=\(queue.waitingRemote)", "dead=\(status.dead)", "workers=\(queue.workers.count)",
      "feeds=\(status.feeds.count)", "subscribers=\(subscribers)", "accepted=\(rate(status.accepted))",
      "completed=\(rate(status.completed))",
      "failed=\(rate(status.failed))", "commit_p50_ms=\(number(Double(status.commits.p50Us) / 1_000))",
      "commit_p99_ms=\(number(Double(status.commits.p99Us) / 1_000))", "disk_free_bytes=\(status.disk.freeBytes)",
    ].joined(separator: " ")
  }

  /// The state as one word for a log.
  private var stateName: String {
    if status.disk.fullMs != nil { return "DISK_FULL" }
    return state.split(whereSeparator: { " :".contains($0) }).first.map(String.init) ?? ""
  }

  /// "running", or the reason why ingest refuses posts or sends no jobs, with its duration.
  var state: String {
    if let fullMs = status.disk.fullMs {
      return "DISK FULL OR NEARLY FULL for \(longAge(ms: unixMs - fullMs)): ingest refuses writes that do not fit"
    }
    if let pausedMs = status.pausedMs { return "PAUSED for \(longAge(ms: unixMs - pausedMs))" }
    // An older ingest reports 0 for the wait and its limit.
    guard status.waitMaxMs > 0, status.queue.longestWaitMs >= status.waitMaxMs else { return "running" }
    return "REFUSING: a post has waited \(longAge(ms: status.queue.longestWaitMs)) for a worker"
  }

  /// True if an operator has to act.
  var isTrouble: Bool { state != "running" }

  /// Uptime of ingest.
  var uptime: String { longAge(ms: status.uptimeMs) }

  private var oldest: String { status.oldestMs.map { " · oldest \(longAge(ms: unixMs - $0))" } ?? "" }

  /// The disk space as text. "unknown" for an older ingest, which does not report it.
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

  /// Number of subscribers, of all feeds that report one.
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

  /// Formats a number with a digit after the point.
  private func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
