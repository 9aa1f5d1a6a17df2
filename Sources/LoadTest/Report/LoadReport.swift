import Domain
import Foundation

/// The two forms of a summary: text for people, and JSON.
package struct LoadReport {
  private static let percentiles: [(name: String, key: String, value: Double)] = [
    ("p50", "p50", 50), ("p90", "p90", 90), ("p99", "p99", 99), ("p99.9", "p999", 99.9),
  ]

  let summary: LoadSummary

  package init(summary: LoadSummary) { self.summary = summary }

  /// The summary as text for people.
  package var text: String {
    let (s, counts) = (summary, summary.counts)
    var lines = [
      "accepted = on disk (fdatasync)",
      "run \(s.plan.run): \(s.plan.rate) posts/s for \(s.plan.seconds) s to \(s.server), \(s.connections) connections, "
        + "--seed \(s.plan.seed)",
      "",
      row("offered", s.plan.count),
      row("sent", counts.sent, s.unsent > 0 ? "\(s.unsent) not sent before the timeout" : ""),
      row("accepted", counts.accepted, "\(tenths(s.achievedRate)) posts/s"),
      row("refused", counts.refused, kinds(counts.refusals)),
      row("retried", counts.retried, kinds(counts.errorKinds)),
    ]
    if counts.unanswered > 0 {
      let remark = s.finding.problem == nil ? "\(s.storedUnanswered) of them are in the store" : ""
      lines.append(row("unanswered", counts.unanswered, remark))
    }
    lines += stored
    lines += [
      "",
      "ms since due".padded(18) + (LoadReport.percentiles.map(\.name) + ["max"]).map { $0.leftPadded(11) }.joined(),
      latencies("accept", s.acceptLatency),
      latencies("post to subscriber", s.feedLatency),
      "",
      row(
        "sent late", counts.late,
        "by more than \(LoadLimits.lateNs / 1_000_000) ms; \(counts.lateWaitingForConnection) waited for a connection"),
    ]
    return (lines + s.failures.map { "FAILED: \($0)" }).joined(separator: "\n")
  }

  /// The summary as a JSON object.
  package var json: String {
    let (s, counts) = (summary, summary.counts)
    let json = JSONWriter.object { json in
      json.add("durability", "accepted = on disk (fdatasync)")
      json.add("run", s.plan.run)
      json.add("server", s.server)
      json.add("rate", s.plan.rate)
      json.add("durationSeconds", s.plan.seconds)
      json.add("connections", s.connections)
      json.add("seed", s.plan.seed)
      json.add("offered", s.plan.count)
      json.add("sent", counts.sent)
      json.add("accepted", counts.accepted)
      json.add("acceptedPerSecond", s.achievedRate)
      json.add("refused", counts.refused)
      add(counts.refusals, "refusals", to: &json)
      json.add("retried", counts.retried)
      json.add("errors", counts.errors)
      add(counts.errorKinds, "errorKinds", to: &json)
      json.add("unanswered", counts.unanswered)
      if s.finding.problem == nil { addStored(to: &json) }
      json.add("listReplacements", s.replacements)
      add(s.acceptLatency, "acceptMs", to: &json)
      add(s.feedLatency, "postToSubscriberMs", to: &json)
      json.add("late", counts.late)
      json.add("lateWithoutConnection", counts.lateWaitingForConnection)
      json.array("failures", s.failures) { $0.add("reason", $1) }
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// Lines about the store. If the store could not be read, a line with a question mark.
  private var stored: [String] {
    let s = summary
    guard s.finding.problem == nil else { return ["", "stored".padded(18) + "?".leftPadded(11)] }
    let reasons = kinds(s.finding.reasons)
    return [
      "",
      row("published", s.published),
      row("rejected", s.rejected, s.dead == 0 ? reasons : ""),
      row("queued", s.queued),
      row("dead", s.dead, s.dead > 0 ? reasons : ""),
      "",
      row("lost", s.lost),
      row("duplicated", s.duplicated),
      row("not seen live", s.notSeenLive, s.replacements > 0 ? "\(s.replacements) list replacements" : ""),
      lists,
    ]
      + (s.finding.subscribers.count == 0 ? [] : [subscribers])
  }

  private var subscribers: String {
    let subscribers = summary.finding.subscribers
    return row(
      "subscribers", subscribers.count,
      "\(subscribers.equal) ended with the store's list, \(subscribers.wrong) wrong lists, "
        + "\(subscribers.replacements) list replacements")
  }

  private var lists: String {
    switch summary.finding.lists {
    case .equal(let seq, let hash): "list equal".padded(18) + "yes".leftPadded(11) + "   seq \(seq), hash \(hash)"
    case .different(let reason): "list equal".padded(18) + "no".leftPadded(11) + "   \(reason)"
    }
  }

  private func addStored(to json: inout JSONWriter) {
    let s = summary
    json.add("storedUnanswered", s.storedUnanswered)
    json.add("published", s.published)
    json.add("rejected", s.rejected)
    json.add("queued", s.queued)
    json.add("dead", s.dead)
    add(s.finding.reasons, "reasons", to: &json)
    json.add("lost", s.lost)
    json.add("duplicated", s.duplicated)
    json.add("notSeenLive", s.notSeenLive)
    json.object("subscribers") { json in
      json.add("count", s.finding.subscribers.count)
      json.add("equal", s.finding.subscribers.equal)
      json.add("wrongLists", s.finding.subscribers.wrong)
      json.add("listReplacements", s.finding.subscribers.replacements)
    }
    switch summary.finding.lists {
    case .equal(let seq, let hash):
      json.add("listEqual", true)
      json.add("seq", seq)
      json.add("stateHash", hash)
    case .different: json.add("listEqual", false)
    }
  }

  private func latencies(_ name: String, _ latency: Latency) -> String {
    let values = LoadReport.percentiles.map { latency.ms($0.value) } + [latency.maxMs]
    return name.padded(18) + values.map { thousandths($0).leftPadded(11) }.joined()
  }

  private func add(_ latency: Latency, _ name: String, to json: inout JSONWriter) {
    json.object(name) { json in
      json.add("count", latency.count)
      for percentile in LoadReport.percentiles { json.add(percentile.key, latency.ms(percentile.value)) }
      json.add("max", latency.maxMs)
    }
  }

  private func add(_ kinds: [String: Int], _ name: String, to json: inout JSONWriter) {
    json.object(name) { json in
      for (kind, count) in kinds.sorted(by: { $0.key < $1.key }) { json.add(kind, count) }
    }
  }

  private func row(_ name: String, _ count: Int, _ remark: String = "") -> String {
    name.padded(18) + String(count).leftPadded(11) + (remark.isEmpty ? "" : "   " + remark)
  }

  /// Returns the kinds with their counts, the most frequent first: "closed before the response 12, 503 busy 3".
  private func kinds(_ kinds: [String: Int]) -> String {
    kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }

  private func tenths(_ value: Double) -> String { String(format: "%.1f", value) }
  private func thousandths(_ value: Double) -> String { String(format: "%.3f", value) }
}

extension String {
  /// Pads the text with spaces at the end.
  fileprivate func padded(_ columns: Int) -> String { self + String(repeating: " ", count: max(0, columns - count)) }
  /// Pads the text with spaces at the start.
  fileprivate func leftPadded(_ columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - count)) + self
  }
}
