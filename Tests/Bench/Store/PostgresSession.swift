import CPostgreSQL
import Glibc

/// A session of libpq that blocks: the baseline without a store, and other sessions beside it. One thread at a time.
final class PostgresSession {
  private let handle: OpaquePointer

  init(_ url: String) throws {
    guard let handle = PQconnectdb(url) else { throw BenchError("libpq has no memory for a connection") }
    self.handle = handle
    guard PQstatus(handle) == CONNECTION_OK else { throw failure(nil) }
  }

  deinit { PQfinish(handle) }

  /// Executes a statement. Outside of a transaction block, it is committed on return.
  func execute(_ sql: String) throws { try check(PQexec(handle, sql)) }

  func prepare(_ name: String, _ sql: String) throws { try check(PQprepare(handle, name, sql, 0, nil)) }

  /// Executes a prepared statement with parameters as text. Outside of a transaction block, it is committed on return.
  func execute(prepared name: String, _ values: [String]) throws {
    let copies = values.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { UnsafePointer<CChar>($0) }
    try check(PQexecPrepared(handle, name, Int32(values.count), pointers, nil, nil, 0))
  }

  private func check(_ result: OpaquePointer?) throws {
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { throw failure(result) }
  }

  private func failure(_ result: OpaquePointer?) -> BenchError {
    let text = result.map { String(cString: PQresultErrorMessage($0)) } ?? String(cString: PQerrorMessage(handle))
    return BenchError("PostgreSQL: \(text)")
  }
}
