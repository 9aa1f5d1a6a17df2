import Foundation
import Logging
import PostgresServer
import Store

@testable import PostgresStore

/// A database on a test server. The database is removed with this object.
final class TestDatabase: Sendable {
  let server: PostgresServer
  let name: String
  let address: PostgresAddress
  let logger: Logger

  /// - Parameters:
  ///   - server: The server. Nil for the one that all tests share.
  ///   - options: Settings of every new session, unless it has its own.
  init(on server: PostgresServer? = nil, options: [String: String] = [:], logger: Logger? = nil) throws {
    self.server = try server ?? .shared()
    name = try self.server.createDatabase(options: options)
    address = try PostgresAddress(self.server.url(name), passwordFile: nil)
    self.logger = logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  }

  deinit { server.dropDatabase(name) }

  /// Opens the store as the leader.
  func open() throws -> PostgresDatabase { try PostgresDatabase(address, logger: logger) }

  /// Opens a connection beside the store.
  func connect(_ role: SessionRole = .writer) throws -> PostgresConnection {
    try PostgresConnector(address: address, role: role).connect()
  }

  /// Runs statements beside the store. Returns the rows, with `|` between columns.
  @discardableResult
  func sql(_ text: String) throws -> String {
    try server.sql(text, in: name).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Waits until a query returns a value that is true.
  func wait(until query: String) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try sql(query) != "t" {
      guard ContinuousClock.now < deadline else { throw TimedOut(query: query) }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private struct TimedOut: Error { let query: String }
}
