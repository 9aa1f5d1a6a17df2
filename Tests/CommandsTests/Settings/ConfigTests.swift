import ArgumentParser
import Domain
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

  /// Returns the values that a service reads, with the file of settings.
  private func values<Command: ServiceCommand>(
    of _: Command.Type, file text: String
  ) async throws -> [String: Settings.Value] {
    try Data(text.utf8).write(to: URL(filePath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let command = try Command.parse(["--config", file])
    return Dictionary(uniqueKeysWithValues: try await command.prepare().settings.effective.map { ($0.name, $0) })
  }

  @Test("A list of feeds from the file has the file as its source, not a flag")
  func lists() async throws {
    let feeds = "tcp://10.0.0.3:7710,tcp://10.0.0.4:7710"
    let none = "ONTHEMAP_GATEWAY_OPERATIONS=none\nONTHEMAP_FEED_OPERATIONS=none\n"
    let text = "ONTHEMAP_GATEWAY_FEED=\(feeds)\nONTHEMAP_FAILOVER_FEEDS=\(feeds)\n\(none)"
    let ofGateway = try await values(of: GatewayCommand.self, file: text)["ONTHEMAP_GATEWAY_FEED"]
    let ofFeed = try await values(of: FeedCommand.self, file: text)["ONTHEMAP_FAILOVER_FEEDS"]
    for value in [ofGateway, ofFeed] { #expect(value?.source == .file(path: file) && value?.text == feeds) }
  }

  @Test("The number of password hashes of a gateway is shown, also if it is the default")
  func hashes() async throws {
    let (name, none) = ("ONTHEMAP_GATEWAY_PASSWORD_HASHES", "ONTHEMAP_GATEWAY_OPERATIONS=none\n")
    let usual = try await values(of: GatewayCommand.self, file: none)[name]
    let number = min(ProcessInfo.processInfo.activeProcessorCount, Limits.concurrentPasswordHashesMax)
    #expect(usual?.text == "\(number)" && usual?.source == .standard)
    let set = try await values(of: GatewayCommand.self, file: "\(name)=0\n\(none)")[name]
    #expect(set?.text == "0" && set?.source == .file(path: file))
  }

  @Test("A gateway without feeds refuses the flag of the feed's key, and ignores the setting, which watch may share")
  func unusedKey() async throws {
    let key = "ONTHEMAP_FEED_KEY=short\nONTHEMAP_GATEWAY_OPERATIONS=none\n"
    #expect(try await values(of: GatewayCommand.self, file: key)["ONTHEMAP_FEED_KEY"] == nil)
    let error = await #expect(throws: SettingError.self) {
      _ = try await GatewayCommand.parse(["--feed-key", "short"]).prepare()
    }
    #expect(
      error?.description
        == "--feed-key (ONTHEMAP_FEED_KEY) is set, but no link uses it. Set --feed (ONTHEMAP_GATEWAY_FEED) too.")
  }

  @Test("A members-only feed without a secret is refused with the setting that it needs")
  func missingSecret() async throws {
    let error = await #expect(throws: SettingError.self) {
      _ = try await FeedCommand.parse(["--map-access", "members", "--operations", "none"]).prepare()
    }
    #expect(
      error?.description == """
        ONTHEMAP_MAP_ACCESS_SECRET_FILE must be set to a file with ingest's secret if ONTHEMAP_MAP_ACCESS is members.
        """)
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
