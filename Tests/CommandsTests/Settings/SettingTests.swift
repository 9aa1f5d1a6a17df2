import ArgumentParser
import Foundation
import Testing

@testable import Commands

@Suite("Settings table")
struct SettingTests {
  @Test("deploy/onthemap.env.example equals the output of `onthemap settings`")
  func example() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    let file = root.appendingPathComponent("deploy/onthemap.env.example").standardized
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let wanted = SettingsFile.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == wanted.count)
    for (line, wanted) in zip(lines, wanted) { #expect(line == wanted) }
  }

  @Test("deploy/Settings.md has one row for each setting, with its flag")
  func rows() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    let file = root.appendingPathComponent("deploy/Settings.md").standardized
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    for setting in Setting.all {
      let start = "| `\(setting.name)` | \(setting.flag.map { "`\($0)`" } ?? "") |"
      #expect(lines.filter { $0.hasPrefix(start) }.count == 1, "\(start)")
    }
    #expect(lines.filter { $0.hasPrefix("| `ONTHEMAP_") }.count == Setting.all.count)
  }

  @Test("Each setting has a unique name, help for its flag, and an example unless it is secret")
  func entries() {
    #expect(Set(Setting.all.map(\.name)).count == Setting.all.count)
    for setting in Setting.all {
      #expect(Setting.named(setting.name) == setting)
      #expect(setting.name.hasPrefix("ONTHEMAP_"))
      // Every user of the machine can see flags, so secrets and their files have no flags.
      #expect((setting.flag == nil) == setting.summary.isEmpty, "\(setting.name)")
      #expect(!setting.isSecret || setting.flag == nil && setting.exampleValue.isEmpty, "\(setting.name)")
      #expect(setting.isSecret || !setting.exampleValue.isEmpty, "\(setting.name)")
    }
  }

  @Test("A flag's help names its variable and its default")
  func help() {
    let jobs = "Address to bind for workers (job link). [ONTHEMAP_JOBS, default: tcp://127.0.0.1:7701]"
    #expect(Setting.jobs.help() == jobs)
    #expect(Setting.jobs.help("A") == "A [ONTHEMAP_JOBS, default: tcp://127.0.0.1:7701]")
    #expect(Setting.publicURL.help("A") == "A [ONTHEMAP_PUBLIC_URL]")
    #expect(Setting.query.help("A") == "A [ONTHEMAP_QUERY, default: one port above --publish]")
    #expect(Setting.query.help("A", default: .value("b")) == "A [ONTHEMAP_QUERY, default: b]")
  }

  @Test("An option has its setting's flag, or the command's own flag")
  func options() throws {
    let ingest = try IngestOptions.parse(["--jobs", "a", "--allow-plaintext", "feed"])
    #expect(ingest.links.jobs == "a")
    #expect(ingest.links.allowPlaintext == "feed")
    #expect(ingest.http == nil)
    #expect(try UpCommand.parse(["--feed-http", "b"]).feedHttp == "b")
    #expect(try FeedCommand.parse(["--http", "c"]).http == "c")
    #expect(FeedCommand.helpMessage(columns: 400).contains("[ONTHEMAP_FEED_HTTP, default: 127.0.0.1:8081]"))
  }
}
