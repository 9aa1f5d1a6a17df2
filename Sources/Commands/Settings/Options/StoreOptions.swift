import ArgumentParser
import PostgresStore

/// Options of ingest about its store.
struct StoreOptions: ParsableArguments {
  @Option(.store)
  var store: String?
  @Option(.storePasswordFile)
  var storePasswordFile: String?

  /// Returns the store. Opens no database, but checks the files that the URL names.
  ///
  /// - Parameter data: Path of the data folder.
  /// - Throws: `SettingError` for an invalid URL, an unusable file, and a password file without a URL.
  func selection(_ settings: Settings, data: String) throws -> StoreSelection {
    let text = settings.text(.store, flag: store)
    let passwordFile = settings.optional(.storePasswordFile, flag: storePasswordFile)
    guard text != Setting.store.defaultValue else {
      // Otherwise a missing URL would go unnoticed, with all posts in another database.
      guard passwordFile == nil else {
        throw SettingError(
          "\(Setting.storePasswordFile.title) is set, but \(Setting.store.title) is \(text). Set the URL of PostgreSQL "
            + "too, or remove the file's setting.")
      }
      return .sqlite(folder: data)
    }
    // The part before an @ may contain a password. The error of an address does not quote it.
    guard ["://", "@"].contains(where: { text.contains($0) }) else {
      throw SettingError(
        .store, expected: "sqlite or a URL such as postgresql://onthemap@db.example.org/onthemap", actual: text)
    }
    do throws(PostgresAddressError) {
      let address = try PostgresAddress(text, passwordFile: passwordFile)
      try address.checkFiles()
      return .postgres(address)
    } catch {
      throw SettingError(error.sentence(url: Setting.store.title))
    }
  }
}

extension PostgresAddressError {
  /// Returns the error after the option that has the fault.
  ///
  /// - Parameter url: The option with the URL.
  func sentence(url: String) -> String { "\(isOfPasswordFile ? Setting.storePasswordFile.title : url): \(self)" }
}

/// The store of ingest, by its settings.
enum StoreSelection: Sendable, Equatable {
  case sqlite(folder: String)
  case postgres(PostgresAddress)
}

extension Settings {
  /// Refuses a command that reads or writes the files of SQLite, if ingest's store is elsewhere.
  ///
  /// - Throws: `SettingError` if the environment or the file of settings names another store.
  func requireSQLite() throws {
    guard let store = optional(.store, flag: nil), store != Setting.store.defaultValue else { return }
    throw SettingError(
      "\(Setting.store.name) is not sqlite, so the data folder has no current database. Use the tools of PostgreSQL, "
        + "such as pg_dump.")
  }
}
