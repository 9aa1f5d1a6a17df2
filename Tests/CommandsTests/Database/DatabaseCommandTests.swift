import ArgumentParser
import Foundation
import Testing

@testable import Commands
@testable import PostgresStore
@testable import SQLiteStore

@Suite("The command db copy")
final class DatabaseCommandTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-\(UUID().uuidString)").path
  private let url = "postgresql://onthemap@127.0.0.1:1/map"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Returns the parser's message for invalid options. Empty for valid ones.
  private func refusal(_ options: String...) -> String {
    do { _ = try OnTheMapCommand.parseAsRoot(["db", "copy"] + options) } catch {
      return OnTheMapCommand.message(for: error)
    }
    return ""
  }

  /// Runs the command on the folder. Returns its error, or an empty text.
  private func error(to url: String, _ options: String...) async throws -> String {
    let command = try DatabaseCommand.Copy.parse(["--data", folder, "--to", url] + options)
    do { try await command.run() } catch { return "\(error)" }
    return ""
  }

  @Test("The command needs a URL of PostgreSQL without a password")
  func options() {
    #expect(refusal().contains("--to <to>"))
    #expect(refusal("--to", "sqlite").contains("--to: the URL does not begin with postgresql://"))
    #expect(refusal("--to", "postgresql://db").contains("--to: the URL has no database"))
    let password = refusal("--to", "postgresql://a:hunter2@db/map")
    #expect(password.contains("name a file with --store-password-file") && !password.contains("hunter2"))
    #expect(refusal("--to", url, "--password-file", "/etc/password").contains("Unknown option '--password-file'"))
    #expect(refusal("--to", url, "--store-password-file", "/etc/password", "--data", "data") == "")
  }

  @Test("A password file that is missing, and a folder without a database, are refused before a connection")
  func files() async throws {
    let missing = try await error(to: url, "--store-password-file", folder + "/password")
    let reason = "cannot read the password file \(folder)/password: No such file"
    #expect(missing.hasPrefix("--store-password-file (ONTHEMAP_STORE_PASSWORD_FILE): \(reason)"), "\(missing)")
    #expect(missing.hasSuffix("\nUsage: onthemap db copy --to <to> [<options>]"), "\(missing)")
    let certificate = try await error(to: url + "?sslrootcert=/nowhere/ca.pem")
    #expect(certificate.hasPrefix("--to: cannot read /nowhere/ca.pem of sslrootcert"), "\(certificate)")
    #expect(try await error(to: url).contains("\(folder) cannot be used: it has no database"))
  }

  @Test("A folder that was copied is not copied again")
  func marked() async throws {
    let address = try PostgresAddress(url, passwordFile: nil).description
    let mark = MovedMark(address: address, unixMs: 0)
    try mark.write(in: folder)
    #expect(try await error(to: url) == "")
    let other = try await error(to: "postgresql://onthemap@db.example.org/map")
    #expect(other.contains("was copied to \(address) on 1970-01-01T00:00:00.000Z"))
    #expect(other.contains("remove \(folder)/onthemap.moved and \(folder)/onthemap.highwater"))
  }

  @Test("The output has the rows of each table, and the next step")
  func output() throws {
    let address = try PostgresAddress("postgresql://db/map", passwordFile: nil)
    let counts = [PostgresCopy.Count(table: "account", rows: 1), PostgresCopy.Count(table: "post", rows: 2_000)]
    #expect(
      CopyText.lines(counts, from: "data", to: address) == [
        "Copied data to \(address), and compared:", "  account  1 row", "  post     2000 rows",
        "Ingest refuses data from now on. Start ingest with --store and this address.",
      ])
    let withPassword = try PostgresAddress("postgresql://db/map", passwordFile: "/etc/password")
    let next = "Start ingest with --store and this address, and --store-password-file."
    #expect(CopyText.lines(counts, from: "data", to: withPassword).last?.hasSuffix(next) == true)
    let mark = MovedMark(address: address.description, unixMs: 0)
    #expect(try CopyText.alreadyMoved(mark, from: "data", to: withPassword).hasSuffix(next))
  }

  @Test("The progress has the step, the table, and the rate of all rows")
  func progress() {
    let progress = PostgresCopy.Progress(step: .comparing, table: "post", tableRows: 5_000, rows: 20_000)
    #expect(CopyProgress.line(progress, seconds: 2) == "comparing  post  5000 rows  10000 rows/s")
  }
}
