import ArgumentParser
import Domain
import SQLiteStore

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a backup while ingest is stopped, or check it.",
    usage: "onthemap restore [<options>] <file>",
    discussion: """
      Checks the backup, prepares it in a new folder, and exchanges that folder with
      the data folder. The old data folder is kept under another name. Posts after
      the backup are lost, and all sessions end. Deleted accounts and posts stay
      deleted. With --check, nothing changes: the exit status is 1 if the backup
      cannot be restored.

      Examples:
        onthemap restore /mnt/backup/onthemap-20261126T181530Z.sqlite --data data
        onthemap restore --check /mnt/backup
      """)

  @Argument(help: "File of a backup, or a folder, whose latest backup counts.")
  var file: String
  @Option(.data, "Ingest's data folder, which the backup replaces.")
  var data: String?
  @Flag(help: "Keep the backup's sessions valid.")
  var keepSessions = false
  @Flag(help: "Check that the backup can be restored, in a new folder beside it.")
  var check = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if check, keepSessions { throw ValidationError("--check and --keep-sessions exclude each other.") }
  }

  func run() async throws {
    let settings = try await Settings(common)
    if !check { try settings.requireSQLite() }
    let restore = try Restore(file)
    let report =
      check
      ? try await restore.check(unixMs: now())
      : try await restore.run(
        into: settings.text(.data, flag: data), keepsSessions: keepSessions, unixMs: now())
    for line in RestoreText.lines(report) { printLine(line) }
  }
}
