import ArgumentParser
import PostgresStore
import SQLiteStore

struct DatabaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "db", abstract: "Move ingest's data from SQLite to PostgreSQL.",
    discussion: """
      Example:
        onthemap db copy --data /var/lib/onthemap \\
          --to postgresql://onthemap@db.example.org/onthemap
      """,
    subcommands: [Copy.self])

  struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copy a data folder to an empty database, while ingest is stopped.",
      usage: "onthemap db copy --to <to> [<options>]",
      discussion: """
        Copies all accounts, sessions, posts and the queue, and compares each row.
        Afterwards ingest refuses the folder: start it with --store. An interrupted
        copy continues when you run the same command again.

        Examples:
          onthemap db copy --data /var/lib/onthemap \\
            --to postgresql://onthemap@db.example.org/onthemap \\
            --store-password-file /etc/onthemap/store-password
          onthemap db copy --to postgresql://onthemap@localhost/onthemap
        """)

    @Option(.data, "Ingest's data folder, which the command copies.")
    var data: String?
    @Option(help: "URL of the empty database: postgresql://USER@HOST:PORT/DATABASE.")
    var to: String
    @Option(.storePasswordFile)
    var storePasswordFile: String?
    @OptionGroup var common: CommonOptions

    func validate() throws {
      do throws(PostgresAddressError) { _ = try PostgresAddress(to, passwordFile: nil) } catch {
        throw ValidationError(error.sentence(url: "--to"))
      }
    }

    func run() async throws {
      let settings = try await Settings(common)
      let folder = settings.text(.data, flag: data)
      let address = try address(settings)
      if let mark = MovedMark(folder: folder) {
        printLine(try CopyText.alreadyMoved(mark, from: folder, to: address))
        return
      }
      let copied = try CopiedFolder(folder)
      var progress = CopyProgress()
      defer { progress.clear() }
      let counts = try PostgresCopy(copied.source, to: address).run { progress.draw($0) }
      try copied.markMoved(to: address.description, unixMs: now())
      progress.clear()
      for line in CopyText.lines(counts, from: folder, to: address) { printLine(line) }
    }

    /// Returns the address with its password file. Opens no database, but checks the files.
    private func address(_ settings: Settings) throws -> PostgresAddress {
      let passwordFile = settings.optional(.storePasswordFile, flag: storePasswordFile)
      do throws(PostgresAddressError) {
        let address = try PostgresAddress(to, passwordFile: passwordFile)
        try address.checkFiles()
        return address
      } catch {
        // After parsing, the parser would show the usage of `onthemap` for a `ValidationError`.
        let usage = OnTheMapCommand.usageString(for: Copy.self)
        throw SettingError("\(error.sentence(url: "--to"))\nUsage: \(usage)")
      }
    }
  }
}
