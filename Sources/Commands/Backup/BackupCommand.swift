import ArgumentParser
import Domain
import SQLiteStore

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Back up ingest's data while it runs, or while it is stopped.",
    usage: "onthemap backup [<options>] <folder>",
    discussion: """
      Writes the folder's next backup: a checked copy of the database, and its
      manifest. A running ingest writes the files, and accepts posts meanwhile, so
      its user must own the folder. Give each map its own folder. A backup contains
      email addresses and password hashes.

      Examples:
        onthemap backup /mnt/backup --data /var/lib/onthemap --keep 14
        onthemap backup /srv/backup --same-device
      """)

  @Argument(help: "Absolute path of the folder for backups.")
  var folder: String
  @Option(help: "Backups to keep in the folder (1–1000). Default: all.")
  var keep: Int?
  @Flag(help: "Permit a folder on the device of the data folder.")
  var sameDevice = false
  @OptionGroup var options: AdminOptions

  func validate() throws {
    guard folder.hasPrefix("/") else {
      throw ValidationError(
        "the folder must be an absolute path, because ingest may run in another folder, not \(folder).")
    }
    let range = Limits.backupsKeptRange
    guard keep.map(range.contains) ?? true else {
      throw ValidationError("--keep must be \(range.lowerBound) to \(range.upperBound), not \(keep ?? 0).")
    }
  }

  func run() async throws {
    let settings = try await Settings(options.common)
    let endpoint = try options.endpoint(settings)
    let request = BackupRequest(folder: folder, keep: keep, isSameDeviceAllowed: sameDevice)
    let backup: BackupSummary
    // An ingest that restarts listens in a moment. A backup without ingest would delay its start.
    if await AdminConnection.isListening(endpoint, withinMs: Limits.backupIngestWaitMs) {
      let connection = try AdminConnection(endpoint)
      defer { connection.close() }
      backup = try await connection.backUp(request)
    } else {
      try settings.requireSQLite()
      let data = settings.text(.data, flag: options.data)
      backup = try OfflineBackup(folder: data).write(request, unixMs: now())
    }
    printLine("Backed up to \(backup.path) (\(counted(backup.posts, "post")), \(backup.bytes) bytes).")
    if backup.removed > 0 { printLine("Removed \(counted(backup.removed, "older backup")).") }
  }
}

extension AdminConnection {
  /// Starts a backup, and waits for its end.
  fileprivate func backUp(_ request: BackupRequest) async throws -> BackupSummary {
    guard case .backup(var state?) = try await send(.backUp(request)) else { throw SettingError.unexpectedReply }
    let number = state.number
    while state.outcome == .running {
      try await Task.sleep(for: .milliseconds(Limits.backupPollMs))
      // A restarted ingest has no backup, or another one with another number or start.
      guard case .backup(let current?)? = try? await send(.backupState), current.number == number,
        current.startedMs == state.startedMs
      else {
        throw SettingError(
          "ingest ended or stopped replying during the backup. See its log, then run the backup again.")
      }
      state = current
    }
    switch state.outcome {
    case .succeeded(let backup): return backup
    case .failed(let reason): throw BackupError(reason)
    case .running: throw SettingError.unexpectedReply
    }
  }
}
