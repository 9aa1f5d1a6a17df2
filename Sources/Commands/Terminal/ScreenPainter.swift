/// A window that is drawn over the previous one.
struct ScreenPainter {
  private var size = (rows: 0, columns: 0)

  /// Returns the text that draws these lines. Each must be narrower than the window: an erase in its last column would
  /// remove a character.
  ///
  /// The lines overwrite the previous ones, and only their remains are erased, so that nothing flickers.
  mutating func text(_ lines: [String], _ moment: RenderContext) -> String {
    let isResized = size != (moment.rows, moment.columns)
    size = (moment.rows, moment.columns)
    let drawn = lines.enumerated().map { "\u{1B}[\($0 + 1);1H\($1)\u{1B}[K" }.joined()
    return (isResized ? "\u{1B}[2J\u{1B}[H" : "") + drawn + "\u{1B}[J"
  }
}
