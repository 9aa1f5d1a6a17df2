import Domain
import Foundation
import PostgresServer
import Store
import StoreTesting
import Testing

@testable import PostgresStore

/// Connections to a server with a certificate for `localhost`, as a role that needs TLS and a password.
@Suite("TLS and passwords of PostgreSQL")
struct TLSTests {
  /// The server, with files in its folder.
  private final class Place: Sendable {
    let database: TestDatabase
    let authority: String
    /// Certificate of an authority that has not signed the server's certificate.
    let foreignAuthority: String

    init() throws {
      let server = try PostgresServer()
      database = try TestDatabase(on: server)
      (authority, foreignAuthority) = (try server.createAuthority("ours"), try server.createAuthority("foreign"))
      try server.enableTLS(for: "localhost", signedBy: authority)
      try server.createRole("guest", password: "hunter2", owning: database.name)
      for password in ["hunter2", "hunter3"] {
        try Data("\(password)\n".utf8).write(to: URL(filePath: file(of: password)))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file(of: password))
      }
    }

    /// Returns the path of a file with a password.
    private func file(of password: String) -> String { database.server.folder.appending(path: password).path }

    /// Returns the address of the database for the role.
    func address(
      _ parameters: String, on host: String = "localhost", password: String = "hunter2"
    ) throws -> PostgresAddress {
      try PostgresAddress(
        "postgresql://guest@\(host):\(database.server.port)/\(database.name)?\(parameters)",
        passwordFile: file(of: password))
    }

    /// Returns the text of the error that refuses a connection. Nil if the server accepts it.
    func refusal(of address: PostgresAddress) -> String? {
      do { try Schema.prepare(address) } catch { return error.description }
      return nil
    }

    func verified(by authority: String) -> String { "sslmode=verify-full&sslrootcert=\(authority)" }
  }

  private static let place = Result { try Place() }

  @Test("A store whose server has the right name, authority and password opens, and all of its sessions use TLS")
  func accepted() async throws {
    let place = try Self.place.get()
    // A channel binding needs TLS and SCRAM.
    let address = try place.address("\(place.verified(by: place.authority))&channel_binding=require")
    try address.checkFiles()
    let store = try PostgresDatabase(address, logger: place.database.logger)
    defer { store.close() }
    let id = try await store.accepted(by: store.addAccount()).id
    #expect(try await store.posts([id]).count == 1)
    let sessions = "FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'guest'"
    #expect(try place.database.sql("SELECT count(*) > 2, bool_and(ssl) \(sessions)") == "t|t")
    let hash = "SELECT rolpassword LIKE 'SCRAM-SHA-256$%' FROM pg_authid WHERE rolname = 'guest'"
    #expect(try place.database.sql(hash) == "t")
  }

  @Test("A connection within a machine uses TLS by default, without a check of the server's name")
  func local() throws {
    let place = try Self.place.get()
    for host in ["localhost", "127.0.0.1"] {
      let address = try place.address("application_name=test", on: host)
      #expect(try PostgresConnector(address: address, role: .reader).connect().isEncrypted)
    }
  }

  @Test("A wrong name, a foreign authority, a wrong password and plain text are refused with the cause")
  func refused() throws {
    let place = try Self.place.get()
    let ours = place.verified(by: place.authority)
    #expect(place.refusal(of: try place.address(ours)) == nil)
    let refusals: [(address: PostgresAddress, cause: String)] = [
      (try place.address(ours, on: "127.0.0.1"), #"does not match host name "127.0.0.1""#),
      (try place.address(place.verified(by: place.foreignAuthority)), "certificate verify failed"),
      (try place.address(ours, password: "hunter3"), #"password authentication failed for user "guest""#),
      (try place.address("sslmode=disable"), #"rejects connection for host "127.0.0.1", user "guest""#),
    ]
    for (address, cause) in refusals {
      let text = try #require(place.refusal(of: address), "\(cause)")
      #expect(text.hasPrefix("the database cannot be reached: connection to server at"))
      #expect(text.contains(cause) && text.contains("port \(place.database.server.port)"), "\(text)")
      #expect(!text.contains("hunter"), "\(text)")
    }
  }
}
