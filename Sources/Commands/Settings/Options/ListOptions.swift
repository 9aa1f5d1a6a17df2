import ArgumentParser

/// Option of the commands that list posts or accounts.
struct ListOptions: ParsableArguments {
  @Option(help: "Maximum number of rows (\(ToolLimits.listRowsRange.words)).")
  var limit = ToolLimits.listRowsDefault

  func validate() throws {
    let range = ToolLimits.listRowsRange
    guard range.contains(limit) else {
      throw ValidationError("--limit must be a number from \(range.words), not \(limit).")
    }
  }
}
