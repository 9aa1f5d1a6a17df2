import Testing

@testable import Commands
@testable import SQLiteStore

@Suite("Output of a restore")
struct RestoreTextTests {
  @Test("A list of deletions that cannot be read is not called damaged, because its folder may forbid access")
  func unreadableDeletions() {
    var report = Restore.Report(
      backup: "/backup/b.sqlite", createdMs: 0, accounts: 1, posts: 2, queued: 0, lastPost: nil, lastLostPost: nil)
    (report.folder, report.oldFolder) = ("/data", "/data.before")
    report.unknownDeletions = .unreadableList
    let lines = RestoreText.lines(report)
    #expect(lines.contains { $0.hasSuffix("unknown: the old folder's onthemap.deletions cannot be read") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("Warning: the map may show posts again") })
  }
}
