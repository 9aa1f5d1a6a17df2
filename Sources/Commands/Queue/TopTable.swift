import Domain

/// The queue as a window that is drawn over itself. Pure, so that it can be tested without a terminal.
struct TopTable {
  private let address: String
  private let isColoured: Bool
  private var status: QueueStatus?
  private var seenMs: Int64 = 0
  private var problem: String?
  private var repaint = ScreenPainter()

  /// - Parameters:
  ///   - address: ingest's, for people.
  ///   - isColoured: without colours nothing stands out.
  init(address: String, isColoured: Bool) {
    self.address = address
    self.isColoured = isColoured
  }

  /// What to write for the newest status, or for none and why.
  mutating func text(for news: Result<QueueStatus, any Error>, _ moment: RenderContext) -> String {
    switch news {
    case .success(let new): (status, seenMs, problem) = (new, moment.unixMs, nil)
    case .failure(let error): problem = "\(error)"
    }
    return repaint.text(lines(moment), moment)
  }

  /// The lines of the window, as many as it has.
  func lines(_ moment: RenderContext) -> [String] {
    let columns = max(1, moment.columns - 1)
    func cell(_ line: String) -> String { WatchText(line).cell(columns) }
    guard let status else { return [dimmed(cell(problem ?? "asking ingest at \(address)"))] }
    // As old as the news are: nothing goes on that is not known to.
    let text = QueueText(status, unixMs: seenMs)
    let title = "onthemap top · \(timestamp(unixMs: seenMs).dropFirst(11).prefix(8)) · up \(text.up) · \(address)"
    var lines = [dimmed(cell(title))]
    lines += text.summary.enumerated().map { index, line in
      index == 0 && text.isTrouble ? highlighted(cell(line)) : cell(line)
    }
    if let problem { lines.append(highlighted(cell("lost      \(problem)"))) }
    lines.append(cell(""))
    let workers = text.workers
    lines.append(emphasised(cell(workers.first ?? "")))
    let room = max(0, moment.rows - lines.count)
    let rows = Array(workers.dropFirst())
    if rows.count > room, room > 0 {
      lines += rows.prefix(room - 1).map(cell)
      lines.append(cell("… \(rows.count - room + 1) more"))
    } else {
      lines += rows.map(cell)
    }
    return Array(lines.prefix(moment.rows))
  }

  private func dimmed(_ line: String) -> String { isColoured ? "\u{1B}[2m\(line)\u{1B}[0m" : line }
  private func emphasised(_ line: String) -> String { isColoured ? "\u{1B}[1m\(line)\u{1B}[0m" : line }
  private func highlighted(_ line: String) -> String { isColoured ? "\u{1B}[1;33m\(line)\u{1B}[0m" : line }
}
