import Domain
package import Store

/// Copy of another store's contents to an empty database. Blocks on the network and on the source.
package struct PostgresCopy {
  /// Progress of a copy.
  package struct Progress: Sendable, Equatable {
    /// Step of a copy: each step goes through all tables.
    package enum Step: String, Sendable {
      case copying
      case comparing
    }

    package var step: Step
    /// Name of the current table.
    package var table: String
    /// Number of the table's rows in this step.
    package var tableRows: Int
    /// Number of rows of all tables and steps.
    package var rows: Int
  }

  /// Number of rows in a copied table.
  package struct Count: Sendable, Equatable {
    package let table: String
    /// Number of rows, which the comparison has counted.
    package let rows: Int
  }

  private let source: CopySource
  private let address: PostgresAddress
  /// Number of rows to read and write at a time, 1 or more.
  var batchRows = Limits.copyBatchRows

  /// Creates a copy. Opens no connection.
  package init(_ source: CopySource, to address: PostgresAddress) {
    (self.source, self.address) = (source, address)
  }

  /// Copies all rows, and compares each of them. Continues a copy that was interrupted. Durable on return: ingest can
  /// then start on the database.
  ///
  /// - Parameter report: Called after each batch.
  /// - Returns: the number of rows by table.
  /// - Throws: `CopyError`, `StoreError` if the server cannot be reached or used, and errors of the source.
  package func run(_ report: (Progress) -> Void = { _ in }) throws -> [Count] {
    let target: CopyTarget
    do { target = try CopyTarget(address) } catch { throw (error as? StoreError) ?? StoreError(read: error) }
    do {
      var progress = Progress(step: .copying, table: "", tableRows: 0, rows: 0)
      let isUnfinished = try target.begin(source.numbers)
      if isUnfinished {
        for table in CopyTable.allCases { try copy(table, to: target, &progress, report) }
      }
      progress.step = .comparing
      var counts: [Count] = []
      do {
        for table in CopyTable.allCases {
          counts.append(Count(table: table.rawValue, rows: try compare(table, with: target, &progress, report)))
        }
      } catch CopyError.different where !isUnfinished {
        // The database has the epoch of the folder, and data of its own.
        throw CopyError.notEmpty(address: "\(address)")
      }
      if isUnfinished { try target.finish(source.numbers) }
      return counts
    } catch let error as PostgresError {
      throw CopyError.interrupted(reason: "\(error)")
    }
  }

  private func copy(
    _ table: CopyTable, to target: CopyTarget, _ progress: inout Progress, _ report: (Progress) -> Void
  ) throws {
    (progress.table, progress.tableRows) = (table.rawValue, 0)
    var key = try target.lastKey(table)
    while true {
      let rows = try source.rows(table, key, batchRows)
      guard let last = rows.last else { return }
      try target.insert(rows, into: table)
      progress.tableRows += rows.count
      progress.rows += rows.count
      report(progress)
      guard rows.count == batchRows else { return }
      key = table.key(of: last)
    }
  }

  /// Compares all rows of a table, and returns their number.
  private func compare(
    _ table: CopyTable, with target: CopyTarget, _ progress: inout Progress, _ report: (Progress) -> Void
  ) throws -> Int {
    (progress.table, progress.tableRows) = (table.rawValue, 0)
    var key: [CopyValue]?
    while true {
      let rows = try source.rows(table, key, batchRows)
      let copied = try target.rows(table, after: key, limit: batchRows)
      guard rows == copied else {
        let equal = zip(rows, copied).prefix { $0 == $1 }.count
        throw CopyError.different(
          address: "\(address)", table: table.rawValue, row: progress.tableRows + equal + 1)
      }
      progress.tableRows += rows.count
      progress.rows += rows.count
      report(progress)
      guard let last = rows.last, rows.count == batchRows else { return progress.tableRows }
      key = table.key(of: last)
    }
  }
}
