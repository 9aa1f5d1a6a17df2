import Foundation

/// The database file on disk, while no program has it open.
struct SQL {
  private let path: String

  init(_ path: String) { self.path = path }

  /// True if python3 with its SQLite module is installed, which runs the SQL.
  static let isAvailable = (try? run("-c", "import sqlite3")) != nil

  /// Runs a statement. Returns the first value of the first row, or an empty text if no row comes.
  @discardableResult
  func run(_ statement: String) throws -> String {
    let script = """
      import sqlite3, sys
      with sqlite3.connect(sys.argv[1]) as database:
          row = database.execute(sys.argv[2]).fetchone()
      print(row[0] if row else "", end="")
      database.close()
      """
    return try SQL.run("-c", script, path, statement)
  }

  /// Runs a query. Returns all rows with their values as text. NULL is empty.
  func rows(_ statement: String) throws -> [[String]] {
    let script = """
      import json, sqlite3, sys
      database = sqlite3.connect(sys.argv[1])
      print(json.dumps([["" if v is None else str(v) for v in row] for row in database.execute(sys.argv[2])]))
      database.close()
      """
    return try JSONDecoder().decode([[String]].self, from: Data(SQL.run("-c", script, path, statement).utf8))
  }

  private static func run(_ arguments: String...) throws -> String {
    let (process, pipe, errors) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    process.standardOutput = pipe
    process.standardError = errors
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      // A traceback is far smaller than a pipe's buffer.
      let error = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      throw TimeoutError(description: "python3 failed: \(arguments): \(error)")
    }
    return String(decoding: output, as: UTF8.self)
  }
}
