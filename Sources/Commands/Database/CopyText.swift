import PostgresStore
import SQLiteStore

/// The output of `db copy`.
enum CopyText {
  static func lines(_ counts: [PostgresCopy.Count], from folder: String, to address: PostgresAddress) -> [String] {
    let rows = TextTable.lines(counts.map { ["", $0.table, counted($0.rows, "row")] })
    let next = "Ingest refuses \(folder) from now on. \(start(address))"
    return ["Copied \(folder) to \(address), and compared:"] + rows + [next]
  }

  /// Returns the output for a folder that was copied before.
  ///
  /// - Throws: `SettingError` if the folder was copied to another address.
  static func alreadyMoved(_ mark: MovedMark, from folder: String, to address: PostgresAddress) throws -> String {
    guard mark.address == address.description else {
      throw SettingError(
        "\(folder) was copied to \(mark.address) on \(mark.time). To copy the old data again, remove "
          + "\(folder)/onthemap.moved and \(folder)/onthemap.highwater, and start and stop ingest once.")
    }
    return "\(folder) was copied to \(address) on \(mark.time). \(start(address))"
  }

  /// Returns the next step.
  private static func start(_ address: PostgresAddress) -> String {
    let passwordFile = address.passwordFile == nil ? "" : ", and --store-password-file"
    return "Start ingest with --store and this address\(passwordFile)."
  }
}
