import ArgumentParser
import Foundation
import Testing

@testable import Commands

@Suite("The table of settings")
struct SettingTests {
  @Test("The example file in deploy/ is the one that the table prints: onthemap settings writes it")
  func example() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    let file = root.appendingPathComponent("deploy/onthemap.env.example").standardized
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let wanted = SettingsFile.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == wanted.count)
    for (line, wanted) in zip(lines, wanted) { #expect(line == wanted) }
  }

  @Test("Each setting has a name of its own, an explanation or its neighbour's, and a value that is shown")
  func entries() {
    #expect(Set(Setting.all.map(\.name)).count == Setting.all.count)
    for setting in Setting.all {
      #expect(Setting.named(setting.name) == setting)
      #expect(setting.name.hasPrefix("ONTHEMAP_"))
      // Everybody on the machine sees flags, so secrets have none. Nor have their files.
      #expect((setting.flag == nil) == setting.summary.isEmpty, "\(setting.name)")
      #expect(!setting.isSecret || setting.flag == nil && setting.exampleValue.isEmpty, "\(setting.name)")
      #expect(setting.isSecret || !setting.exampleValue.isEmpty, "\(setting.name)")
    }
  }

  @Test("A flag's help names the variable and the default")
  func help() {
    #expect(Setting.jobs.help() == "Address for workers. [ONTHEMAP_JOBS, default: tcp://127.0.0.1:7701]")
    #expect(Setting.jobs.help("A") == "A [ONTHEMAP_JOBS, default: tcp://127.0.0.1:7701]")
    #expect(Setting.origin.help("A") == "A [ONTHEMAP_ORIGIN]")
    #expect(Setting.query.help("A") == "A [ONTHEMAP_QUERY, default: one port above --publish]")
    #expect(Setting.query.help("A", default: .value("b")) == "A [ONTHEMAP_QUERY, default: b]")
  }

  @Test("An option has its setting's flag, or the command's own name for it")
  func options() throws {
    let ingest = try IngestOptions.parse(["--jobs", "a", "--allow-plaintext", "feed"])
    #expect(ingest.jobs == "a")
    #expect(ingest.allowPlaintext == "feed")
    #expect(ingest.http == nil)
    #expect(try UpCommand.parse(["--feed-http", "b"]).feedHttp == "b")
    #expect(try FeedCommand.parse(["--http", "c"]).http == "c")
    #expect(FeedCommand.helpMessage(columns: 400).contains("[ONTHEMAP_FEED_HTTP, default: 127.0.0.1:8081]"))
  }
}
