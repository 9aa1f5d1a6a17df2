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
            --password-file /etc/onthemap/postgres.password
          onthemap db copy --to postgresql://onthemap@localhost/onthemap
        """)

    @Option(.data, "Ingest's data folder, which the command copies.")
    var data: String?
    @Option(help: "URL of the empty database: postgresql://USER@HOST:PORT/DATABASE.")
    var to: String
    @Option(help: "File with the password of the database's user, mode 0600. Default: no password.")
    var passwordFile: String?
    @OptionGroup var common: CommonOptions

    func validate() throws { _ = try address() }

    func run() async throws {
      let folder = try await Settings(common).text(.data, flag: data)
      let address = try address()
      do throws(PostgresAddressError) { try address.checkFiles() } catch { throw Copy.error(error) }
      if let mark = MovedMark(folder: folder) {
        printLine(try CopyText.alreadyMoved(mark, from: folder, to: address.description))
        return
      }
      let copied = try CopiedFolder(folder)
      var progress = CopyProgress()
      defer { progress.clear() }
      let counts = try PostgresCopy(copied.source, to: address).run { progress.draw($0) }
      try copied.markMoved(to: address.description, unixMs: now())
      progress.clear()
      for line in CopyText.lines(counts, from: folder, to: address.description) { printLine(line) }
    }

    private func address() throws -> PostgresAddress {
      do throws(PostgresAddressError) {
        return try PostgresAddress(to, passwordFile: passwordFile)
      } catch { throw Copy.error(error) }
    }

    /// Returns the error of an address, with the options of this command.
    private static func error(_ error: PostgresAddressError) -> ValidationError {
      ValidationError("--to: \(error.description.replacing("--store-password-file", with: "--password-file"))")
    }
  }
}
