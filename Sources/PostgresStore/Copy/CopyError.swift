/// An error of a copy to PostgreSQL. The text has the remedy.
package enum CopyError: Error, Equatable, CustomStringConvertible {
  /// The database has data of its own. Use another one.
  case notEmpty(address: String)
  /// The database has an unfinished copy of another data folder. Use another one.
  case anotherCopy(address: String)
  /// The connection failed, or the server refused a statement. Run the copy again after the cause is gone.
  case interrupted(reason: String)
  /// A row of the copy differs from the folder, is missing, or is too many. Rows count from 1, in the order of the
  /// table's primary key.
  case different(address: String, table: String, row: Int)

  package var description: String {
    switch self {
    case .notEmpty(let address):
      "\(address) is not empty. Create an empty database for the copy. If this database has the finished copy, start "
        + "ingest with --store."
    case .anotherCopy(let address):
      "\(address) has an unfinished copy of another data folder. Create an empty database for this copy."
    case .interrupted(let reason):
      "the copy was interrupted: \(reason). Run the same command again: it continues with the next rows."
    case .different(let address, let table, let row):
      "the table \(table) of \(address) differs from the data folder at row \(row). The copy is not in use. Drop the "
        + "database, create it again, and repeat the copy."
    }
  }
}
