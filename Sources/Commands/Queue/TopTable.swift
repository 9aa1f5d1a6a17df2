import Domain

/// A window of ingest's status that is redrawn in place. Pure, so that tests need no terminal.
struct TopTable {
  private let address: String
  private let isColoured: Bool
  private var status: QueueStatus?
  private var seenMs: Int64 = 0
  private var problem: String?
  private var repaint = ScreenPainter()

  /// Creates the window.
  ///
  /// - Parameters:
  ///   - address: Address of ingest, for people.
  ///   - isColoured: True if the terminal may show colours. Without them nothing is highlighted.
  init(address: String, isColoured: Bool) {
    self.address = address
    self.isColoured = isColoured
  }

  /// Returns the text that draws a new status, or an error with the last status.
  mutating func text(for result: Result<QueueStatus, any Error>, _ moment: RenderContext) -> String {
    switch result {
    case .success(let new): (status, seenMs, problem) = (new, moment.unixMs, nil)
    case .failure(let error): problem = "\(error)"
    }
    return repaint.text(lines(moment), moment)
  }

  /// Returns the lines of the window, at most as many as it has rows.
  func lines(_ moment: RenderContext) -> [String] {
    let columns = max(1, moment.columns - 1)
    func cell(_ line: String) -> String { WatchText(line).cell(columns) }
    guard let status else { return [dimmed(cell(problem ?? "connecting to ingest at \(address)"))] }
    // Ages refer to the time of the status, which may be old.
    let text = QueueText(status, unixMs: seenMs)
    let title = "onthemap top · \(timestamp(unixMs: seenMs).dropFirst(11).prefix(8)) · up \(text.uptime) · \(address)"
    var lines = [dimmed(cell(title))]
    lines += text.summary.enumerated().map { index, line in
      index == 0 && text.isTrouble ? highlighted(cell(line)) : cell(line)
    }
    if let problem { lines.append(highlighted(cell("error     \(problem)"))) }
    lines.append(cell(""))
    let workers = text.workers
    lines.append(emphasised(cell(workers.first ?? "")))
    let rowsLeft = max(0, moment.rows - lines.count)
    let rows = Array(workers.dropFirst())
    if rows.count > rowsLeft, rowsLeft > 0 {
      lines += rows.prefix(rowsLeft - 1).map(cell)
      lines.append(cell("… \(rows.count - rowsLeft + 1) more"))
    } else {
      lines += rows.map(cell)
    }
    return Array(lines.prefix(moment.rows))
  }

  private func dimmed(_ line: String) -> String { isColoured ? "\u{1B}[2m\(line)\u{1B}[0m" : line }
  private func emphasised(_ line: String) -> String { isColoured ? "\u{1B}[1m\(line)\u{1B}[0m" : line }
  private func highlighted(_ line: String) -> String { isColoured ? "\u{1B}[1;33m\(line)\u{1B}[0m" : line }
}
