/// Draws a window over what stood there before.
struct ScreenPainter {
  private var size = (rows: 0, columns: 0)

  /// What to write for these lines, each narrower than the window: erasing in its last column would take what was
  /// written there. Lines are written over themselves, and only what remains of older ones is erased: nothing flickers.
  mutating func text(_ lines: [String], _ moment: RenderContext) -> String {
    let isResized = size != (moment.rows, moment.columns)
    size = (moment.rows, moment.columns)
    let drawn = lines.enumerated().map { "\u{1B}[\($0 + 1);1H\($1)\u{1B}[K" }.joined()
    return (isResized ? "\u{1B}[2J\u{1B}[H" : "") + drawn + "\u{1B}[J"
  }
}
