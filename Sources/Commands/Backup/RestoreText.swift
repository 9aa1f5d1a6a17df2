import Domain
import SQLiteStore

/// The output of `restore`.
enum RestoreText {
  static func lines(_ report: Restore.Report) -> [String] {
    let contents = """
      \(timestamp(unixMs: report.createdMs)): \(counted(report.accounts, "account")), \
      \(counted(report.posts, "post")), \(report.queued) of them queued
      """
    guard let folder = report.folder else {
      return ["\(report.backup) can be restored.", "  backup      \(contents)"]
    }
    var lines = ["Restored \(report.backup) to \(folder).", "  backup      \(contents)"]
    lines.append("  lost        \(lost(report))")
    let deleted = [counted(report.deletedPosts, "post"), counted(report.deletedAccounts, "account")]
    lines.append("  deletions   \(deleted.joined(separator: " and ")) deleted again\(unknown(report))")
    lines.append("  sessions    \(report.endedSessions) ended")
    lines.append("  epoch       \(report.epoch)")
    if let old = report.oldFolder { lines.append("  old folder  \(old)") }
    if report.unknownDeletions != nil {
      lines.append("Warning: the map may show posts again that people have deleted since the backup.")
    }
    return lines + ["Start ingest. Feeds and subscribers then load the list again."]
  }

  private static func unknown(_ report: Restore.Report) -> String {
    switch report.unknownDeletions {
    case nil: ""
    case .missingList? where report.oldFolder == nil:
      "; others since the backup are unknown: there was no data folder"
    case .missingList?: "; others since the backup are unknown: the old folder has no onthemap.deletions"
    case .unreadableList?: "; others since the backup are unknown: the old folder's onthemap.deletions cannot be read"
    case .before(let unixMs, damaged: 0)?: "; others before \(timestamp(unixMs: unixMs)) are unknown"
    case .before(let unixMs, let damaged)?:
      """
      ; others before \(timestamp(unixMs: unixMs)) are unknown: onthemap.deletions has \
      \(counted(damaged, "damaged record"))
      """
    }
  }

  private static func lost(_ report: Restore.Report) -> String {
    let start = report.lastPost.map { "posts after \($0)" } ?? "all posts since the backup"
    return start + (report.lastLostPost.map { ", up to \($0)" } ?? "") + ", and all other changes since then"
  }
}
