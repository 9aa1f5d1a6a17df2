/// Painter that redraws a window over its previous contents.
struct ScreenPainter {
  private var size = (rows: 0, columns: 0)

  /// Returns the text that draws the lines. Each line must be narrower than the window: an erase in the last column
  /// would remove a character.
  ///
  /// The new lines overwrite the previous ones. Only the rest of a longer line, and lines below the last, are erased,
  /// so that nothing flickers.
  mutating func text(_ lines: [String], _ moment: RenderContext) -> String {
    let isResized = size != (moment.rows, moment.columns)
    size = (moment.rows, moment.columns)
    let drawn = lines.enumerated().map { "\u{1B}[\($0 + 1);1H\($1)\u{1B}[K" }.joined()
    return (isResized ? "\u{1B}[2J\u{1B}[H" : "") + drawn + "\u{1B}[J"
  }
}
