import ArgumentParser
import Foundation
import Testing

@testable import Commands

@Suite("Effective settings")
struct ConfigTests {
  private let file = FileManager.default.temporaryDirectory.appending(path: "onthemap-\(UUID().uuidString).env").path

  /// Returns the values that a feed reads, with the file of settings.
  private func values(_ flags: String..., file text: String) async throws -> [String: Settings.Value] {
    try Data(text.utf8).write(to: URL(filePath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let command = try FeedCommand.parse(["--config", file, "--operations", "none"] + flags)
    let values = try await command.prepare().settings.effective
    #expect(Set(values.map(\.name)).count == values.count, "Each setting occurs once.")
    return Dictionary(uniqueKeysWithValues: values.map { ($0.name, $0) })
  }

  @Test("Each value has its source: a flag, the file or the default")
  func sources() async throws {
    let values = try await values(
      "--publish", "tcp://127.0.0.1:1", file: "ONTHEMAP_PUBLISH=tcp://127.0.0.1:2\nONTHEMAP_FEED_HTTP=127.0.0.1:3\n")
    #expect(values["ONTHEMAP_PUBLISH"]?.source == .flag && values["ONTHEMAP_PUBLISH"]?.text == "tcp://127.0.0.1:1")
    #expect(values["ONTHEMAP_FEED_HTTP"]?.source == .file(path: file))
    #expect(values["ONTHEMAP_FEED_INGEST"]?.source == .standard)
    #expect(values["ONTHEMAP_CONFIG"]?.source == .flag)
  }

  @Test("The value of a secret setting is masked")
  func secrets() async throws {
    try Data("ONTHEMAP_REMOTE_API_KEY=hunter2\n".utf8).write(to: URL(filePath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let settings = try await Settings(CommonOptions.parse(["--config", file]))
    #expect(settings.optional(.remoteAPIKey, flag: nil) == "hunter2")
    let value = try #require(settings.effective.last)
    #expect(value.name == "ONTHEMAP_REMOTE_API_KEY" && value.text == "***" && value.source == .file(path: file))
  }

  @Test("The table has a row for each value, and JSON has the path of the file")
  func text() async throws {
    let values = try await values(file: "ONTHEMAP_FEED_HTTP=127.0.0.1:3\n")
    let http = try #require(values["ONTHEMAP_FEED_HTTP"])
    let ingest = try #require(values["ONTHEMAP_FEED_INGEST"])
    #expect(
      ConfigText.lines([http, ingest]) == [
        "SETTING               VALUE                 SOURCE", "ONTHEMAP_FEED_HTTP    127.0.0.1:3           \(file)",
        "ONTHEMAP_FEED_INGEST  tcp://127.0.0.1:7702  default",
      ])
    let json = try JSONSerialization.jsonObject(with: Data(ConfigText.json([http, ingest]).utf8)) as? [String: Any]
    #expect(
      json?["settings"] as? [[String: String]] == [
        ["name": "ONTHEMAP_FEED_HTTP", "value": "127.0.0.1:3", "source": "file", "file": file],
        ["name": "ONTHEMAP_FEED_INGEST", "value": "tcp://127.0.0.1:7702", "source": "default"],
      ])
  }
}
