import ArgumentParser
import Foundation
import PostgresStore
import Testing

@testable import Commands

@Suite("The setting of the store")
final class StoreSettingTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-\(UUID().uuidString)").path

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ text: String, to name: String) throws -> String {
    let path = folder + "/" + name
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return path
  }

  /// Prepares ingest with options, and with a file of settings.
  private func prepared(_ options: [String], file text: String = "") async throws -> PreparedServices {
    let file = try write(text, to: "onthemap.env")
    return try await IngestCommand.parse(["--config", file, "--operations", "none"] + options).prepare()
  }

  /// Returns the error of ingest with these options.
  private func error(_ options: String...) async throws -> String {
    let error = await #expect(throws: SettingError.self) { _ = try await self.prepared(options) }
    return error?.description ?? ""
  }

  @Test("The store is SQLite in the data folder by default, and with the value sqlite")
  func sqlite() async throws {
    for options in [[], ["--store", "sqlite"], ["--store", "sqlite", "--data", "/srv/map"]] {
      let plan = try await prepared(options).plan
      let folder = options.contains("--data") ? "/srv/map" : "./data"
      #expect(plan.store == .sqlite(folder: folder) && plan.databaseFolder == folder)
    }
  }

  @Test("A URL selects PostgreSQL, with the password from a file")
  func postgres() async throws {
    let url = "postgresql://onthemap@db1.example.org:5433,db2.example.org/map?sslmode=verify-ca"
    let password = try write("hunter2\n", to: "password")
    let prepared = try await prepared(["--store", url, "--store-password-file", password])
    #expect(prepared.plan.store == .postgres(try PostgresAddress(url, passwordFile: password)))
    #expect(prepared.plan.databaseFolder == nil)
    #expect(prepared.settings.effective.contains { $0.name == "ONTHEMAP_STORE" && $0.text == url })
    #expect(!prepared.settings.effective.contains { $0.text.contains("hunter2") })
  }

  @Test("A flag takes precedence over the file of settings, and the file over the default")
  func precedence() async throws {
    let (url, other) = ("postgresql://127.0.0.1/a", "postgres://127.0.0.1/b")
    let file = "ONTHEMAP_STORE=\(url)\nONTHEMAP_STORE_PASSWORD_FILE=\(try write("hunter2", to: "password"))\n"
    let ofFile = try await prepared([], file: file)
    #expect(ofFile.plan.store == .postgres(try PostgresAddress(url, passwordFile: folder + "/password")))
    let source = ofFile.settings.effective.first { $0.name == "ONTHEMAP_STORE" }?.source
    #expect(source == .file(path: folder + "/onthemap.env"))
    let ofFlag = try await prepared(["--store", other], file: file)
    #expect(ofFlag.plan.store == .postgres(try PostgresAddress(other, passwordFile: folder + "/password")))
    #expect(ofFlag.settings.effective.first { $0.name == "ONTHEMAP_STORE" }?.source == .flag)
    let unset = try await prepared([], file: "ONTHEMAP_STORE=\n")
    #expect(unset.plan.store == .sqlite(folder: "./data"))
  }

  @Test("The command up has the same options")
  func up() throws {
    let command = try UpCommand.parse(["--store", "postgresql://127.0.0.1/map", "--store-password-file", "/etc/a"])
    #expect(command.options.store.store == "postgresql://127.0.0.1/map")
    #expect(command.options.store.storePasswordFile == "/etc/a")
  }

  @Test(
    "A value that is neither sqlite nor a URL of PostgreSQL is refused",
    arguments: [("SQLite", "SQLite"), ("", ""), ("/srv/map", "/srv/map")])
  func unknown(value: String, shown: String) async throws {
    #expect(
      try await error("--store", value) == """
        --store (ONTHEMAP_STORE) must be sqlite or a URL such as postgresql://onthemap@db.example.org/onthemap, not \
        "\(shown)".
        """)
  }

  @Test(
    "An invalid URL is refused with the reason",
    arguments: [
      ("mysql://db/map", "the URL does not begin with postgresql://"),
      ("mysql://ana@db/map", "the URL does not begin with postgresql://"), ("ana@db/map", "does not begin with"),
      ("postgresql://db", "has no database"), ("postgresql://db:0/map", "from 1 to 65535"),
      ("postgresql://db/map?sslmode=on", "sslmode must be one of"), ("postgresql://db/map?ssl=true", "parameter ssl"),
      ("postgresql://db/map?sslrootcert=/nowhere/ca.pem", "cannot read /nowhere/ca.pem of sslrootcert"),
    ])
  func invalid(url: String, reason: String) async throws {
    let error = try await error("--store", url)
    #expect(error.hasPrefix("--store (ONTHEMAP_STORE): ") && error.contains(reason), "\(error)")
  }

  @Test(
    "A password in the URL is refused, and the error does not repeat it",
    arguments: [
      "postgresql://ana:hunter2@db/map", "postgresql://ana@db/map?password=hunter2", "mysql://ana:hunter2@db/map",
    ])
  func password(url: String) async throws {
    let error = try await error("--store", url)
    #expect(error.hasPrefix("--store (ONTHEMAP_STORE)") && !error.contains("hunter2"), "\(error)")
  }

  @Test("A missing password file is refused, and so is one without the URL of PostgreSQL")
  func passwordFile() async throws {
    let missing = try await error("--store", "postgresql://127.0.0.1/map", "--store-password-file", folder + "/none")
    let reason = "cannot read the password file \(folder)/none: No such file"
    #expect(missing.hasPrefix("--store-password-file (ONTHEMAP_STORE_PASSWORD_FILE): \(reason)"), "\(missing)")
    let alone = try await error("--store-password-file", try write("hunter2", to: "password"))
    #expect(
      alone == """
        --store-password-file (ONTHEMAP_STORE_PASSWORD_FILE) is set, but --store (ONTHEMAP_STORE) is sqlite. Set the \
        URL of PostgreSQL too, or remove the file's setting.
        """)
  }

  @Test("A tool for the files of SQLite refuses another store")
  func tools() async throws {
    func settings(_ text: String) async throws -> Settings {
      try await Settings(CommonOptions.parse(["--config", try write(text, to: "onthemap.env")]))
    }
    try await settings("").requireSQLite()
    try await settings("ONTHEMAP_STORE=sqlite\n").requireSQLite()
    let other = try await settings("ONTHEMAP_STORE=postgresql://127.0.0.1/map\n")
    #expect(throws: SettingError.self) { try other.requireSQLite() }
  }
}
