import Domain
import Messaging

/// The latest posts as a table that is redrawn in place: newest first, as many as the window holds. The line above the
/// table shows the state of the connection.
struct WatchTable: WatchFormat {
  private enum Connection {
    case waiting
    case live
    case lost(reason: String)
  }

  private let feed: String
  private let limit: Int
  private let isColoured: Bool
  private var connection = Connection.waiting
  private var isStale = false
  private var state: FeedState?
  /// Arrival times of highlighted rows. None is older than `ToolLimits.highlightMs`.
  private var arrivedMs: [PostID: Int64] = [:]
  private var shown = 0
  private var repaint = ScreenPainter()

  /// Creates the table.
  ///
  /// - Parameters:
  ///   - feed: Address of the feed, for people.
  ///   - limit: Number of posts before the end.
  ///   - isColoured: True if the terminal may show colours. Without them a new row begins with +.
  init(feed: String, limit: Int, isColoured: Bool) {
    self.feed = feed
    self.limit = limit
    self.isColoured = isColoured
  }

  var isDone: Bool { shown >= limit }

  mutating func drainRemarks() -> [String] { [] }

  mutating func text(for events: [FeedSubscriber.Event], _ moment: RenderContext) -> String {
    for event in events { apply(event, unixMs: moment.unixMs) }
    arrivedMs = arrivedMs.filter { moment.unixMs - $0.value < ToolLimits.highlightMs }
    return repaint.text(lines(moment), moment)
  }

  /// Returns the lines of the window. The last column stays free: an erase there would remove a character.
  func lines(_ moment: RenderContext) -> [String] {
    let columns = max(1, moment.columns - 1)
    let layout = Layout(columns: columns)
    let entries = state?.entries.prefix(max(0, moment.rows - 2)) ?? []
    let heading = layout.line(
      "  AGE", WatchText("NAME"), WatchText("PLACE"), WatchText("LINK"))
    return [dimmed(WatchText(status).cell(columns)), emphasised(heading)]
      + entries.map { entry in
        let isNew = arrivedMs[entry.id] != nil
        let age = shortAge(ms: moment.unixMs - entry.createdMs)
        let padding = String(repeating: " ", count: max(0, 4 - age.count))
        let line = layout.line(
          (isNew && !isColoured ? "+" : " ") + padding + age, entry.shownName, entry.shownPlace, entry.shownLink)
        return isNew ? highlighted(line) : line
      }
  }

  private mutating func apply(_ event: FeedSubscriber.Event, unixMs: Int64) {
    switch event {
    case .desynced(let reason): connection = .lost(reason: reason.description)
    case .stale(let isStale): self.isStale = isStale
    case .list(let new, _), .changes(_, let new):
      if case .list(_, let isStale) = event { self.isStale = isStale }
      connection = .live
      if let old = state, old.epoch == new.epoch {
        let fresh = new.entries.prefix { $0.seq > old.seq }
        shown += fresh.count
        for entry in fresh { arrivedMs[entry.id] = unixMs }
      } else {
        shown += new.entries.count
      }
      state = new
    }
  }

  private var status: String {
    let text =
      switch connection {
      case .waiting: "waiting for the feed at \(feed)"
      case .live where isStale: "delayed: the feed cannot reach ingest"
      case .live: "live"
      case .lost(let reason): "reconnecting: \(reason)"
      }
    guard let state else { return text }
    return "\(text) · \(state.entries.count) posts · seq \(state.seq)"
  }

  private func dimmed(_ line: String) -> String { isColoured ? "\u{1B}[2m\(line)\u{1B}[0m" : line }
  private func emphasised(_ line: String) -> String { isColoured ? "\u{1B}[1m\(line)\u{1B}[0m" : line }
  private func highlighted(_ line: String) -> String { isColoured ? "\u{1B}[1;32m\(line)\u{1B}[0m" : line }
}

extension WatchTable {
  /// The widths of the columns. The age takes 5, and two spaces separate columns. The name takes 22 % of the rest, and
  /// place and link share the remainder equally. A window below 60 columns has no link, and its name takes 35 %.
  fileprivate struct Layout {
    private let name: Int
    private let place: Int
    private let link: Int
    private let columns: Int

    init(columns: Int) {
      self.columns = columns
      let hasLink = columns >= 60
      let rest = max(2, columns - 5 - (hasLink ? 6 : 4))
      name = max(1, rest * (hasLink ? 22 : 35) / 100)
      place = hasLink ? (rest - name + 1) / 2 : rest - name
      link = hasLink ? rest - name - place : 0
    }

    func line(_ age: String, _ name: WatchText, _ place: WatchText, _ link: WatchText) -> String {
      var line = "\(age)  \(name.cell(self.name))  \(place.cell(self.place))"
      if self.link > 0 { line += "  \(link.cell(self.link))" }
      return columns < 12 ? WatchText(line).cell(columns) : line
    }
  }
}
