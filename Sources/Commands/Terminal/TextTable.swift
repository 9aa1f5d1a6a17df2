/// A table of text, aligned for people.
struct TextTable {
  /// Returns the lines, with two spaces between columns. The last column is not padded.
  ///
  /// - Parameters:
  ///   - rows: The rows, with the heading first. All have the same number of cells.
  ///   - right: Indices of the columns of numbers, which are aligned to the right.
  static func lines(_ rows: [[String]], right: Set<Int> = []) -> [String] {
    let cells = rows.map { $0.map { WatchText($0) } }
    let widths = (cells.first ?? []).indices.map { column in cells.map { $0[column].width }.max() ?? 0 }
    return cells.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let space = String(repeating: " ", count: widths[column] - cell.width)
        if right.contains(column) { line += space }
        line += cell.text
        guard column < row.count - 1 else { break }
        line += right.contains(column) ? "  " : space + "  "
      }
      return line
    }
  }
}
