import Domain

/// Text about queued posts for people.
enum QueueEntryText {
  /// Returns a table, with the heading first.
  static func list(_ entries: [QueueEntry], unixMs: Int64) -> [String] {
    TextTable.lines(
      [["ID", "AGE", "STATE", "FAILURES", "LOST LEASES", "DETAIL", "PLACE"]]
        + entries.map { entry in
          [
            entry.id.description, shortAge(ms: unixMs - entry.createdMs), entry.state.name, "\(entry.attempts)",
            "\(entry.leaseLosses)", detail(entry), entry.place,
          ]
        }, right: [1, 3, 4])
  }

  /// Returns the lines about a post and its history.
  static func report(_ entry: QueueEntry, _ history: [PostEvent], unixMs: Int64) -> [String] {
    func time(_ ms: Int64) -> String { "\(timestamp(unixMs: ms)), \(longAge(ms: unixMs - ms)) ago" }
    let detail = entry.reason.map { "\($0.code), \($0.detail)" } ?? detail(entry)
    var lines = [
      "\(entry.id)  \(entry.state.name)" + (detail.isEmpty ? "" : ": \(detail)"), "place     \(entry.place)",
    ]
    if !entry.label.isEmpty { lines.append("found     \(entry.label)") }
    lines += [
      "link      \(entry.link)", "account   \(entry.account.rawValue)", "accepted  \(time(entry.createdMs))",
      "changed   \(time(entry.updatedMs))",
      "counts    \(counted(entry.attempts, "failed attempt")), "
        + "\(counted(entry.leaseLosses, "lost lease"))",
    ]
    if let trace = entry.trace { lines.append("trace     \(trace.traceID), parent span \(trace.parentID)") }
    if !history.isEmpty { lines.append("history") }
    lines += TextTable.lines(
      history.map { event in
        let reason = [event.reason.code, event.reason.detail].filter { !$0.isEmpty }.joined(separator: ": ")
        return ["  " + timestamp(unixMs: event.atMs), event.kind.name, reason]
      }
    ).map { $0.trimmedEnd }
    return lines.map { WatchText($0).text }
  }

  /// Returns details that the name of the state omits.
  private static func detail(_ entry: QueueEntry) -> String {
    switch entry.state {
    case .leased: "\(entry.worker), \(longAge(ms: entry.remainingMs ?? 0)) left"
    case .delayed: "retry in \(longAge(ms: entry.remainingMs ?? 0))"
    default: entry.reason?.code ?? ""
    }
  }
}

extension String {
  /// The text without spaces at the end.
  var trimmedEnd: String { String(self[..<(lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)]) }
}
