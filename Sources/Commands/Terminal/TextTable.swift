/// Rows of cells, aligned for people.
struct TextTable {
  /// Two spaces between columns, the last one as wide as it is.
  ///
  /// - Parameters:
  ///   - rows: the first is the heading; each has as many cells.
  ///   - right: columns of numbers, by their place.
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
