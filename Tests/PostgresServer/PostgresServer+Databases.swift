import Foundation
import Synchronization

/// The databases that tests have made on a server.
struct Databases {
  /// The count of all names given out.
  var count = 0
  /// The settings that each database was made with.
  var options: [String: [String: String]] = [:]
}

extension PostgresServer {
  /// Creates an empty database of a unique name, and returns the name. Takes about 40 ms.
  ///
  /// - Parameter options: Settings of every new session in this database, such as `default_transaction_isolation`.
  package func createDatabase(options: [String: String] = [:]) throws -> String {
    let name = databases.withLock { databases in
      databases.count += 1
      databases.options["test\(databases.count)"] = options
      return "test\(databases.count)"
    }
    let settings = options.sorted { $0.key < $1.key }
      .map { "ALTER DATABASE \(name) SET \($0.key) = \(quoted($0.value));\n" }
    // Sessions in template1 would prevent a copy of it. template0 allows no sessions, except of autovacuum.
    let text = "CREATE DATABASE \(name) TEMPLATE template0;\n" + settings.joined()
    for attempt in 1... {
      do {
        _ = try sql(text)
        break
      } catch let error as PostgresServerError {
        guard attempt < 5, error.description.contains("is being accessed by other users") else { throw error }
      }
    }
    return name
  }

  /// Ends all sessions in the database and removes it. Ignores errors, because the server may be down.
  ///
  /// Resume a paused server first. Otherwise the call returns after two minutes.
  package func dropDatabase(_ name: String) {
    _ = databases.withLock { $0.options.removeValue(forKey: name) }
    _ = try? sql("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
  }

  /// Copies the committed state of a database, as a crash would leave it, into a new database. Returns its name.
  ///
  /// Other sessions may use the database meanwhile. The copy has the same settings.
  package func copyDatabase(_ name: String) throws -> String {
    let dump = try run([programs.appending(path: "pg_dump").path, "--no-sync", "--dbname", url(name)])
    let copy = try createDatabase(options: databases.withLock { $0.options[name] } ?? [:])
    _ = try sql(dump, in: copy)
    return copy
  }

  /// Runs statements, each in a transaction of its own, up to the first error. Returns the rows of all of them.
  ///
  /// A row is a line, with `|` between its columns. NULL is empty.
  package func sql(_ text: String, in database: String = "postgres") throws -> String {
    try Self.sql(text, at: url(database))
  }

  /// Runs statements like `sql(_:in:)`, on any server.
  ///
  /// - Parameter url: The URL of the database. It may name several servers.
  package static func sql(_ text: String, at url: String) throws -> String {
    let words = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-f", "-", "--dbname", url]
    let output = try run([findPrograms().appending(path: "psql").path] + words, input: text)
    return output.hasSuffix("\n") ? String(output.dropLast()) : output
  }
}
