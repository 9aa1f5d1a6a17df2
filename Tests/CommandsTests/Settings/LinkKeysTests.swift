import ArgumentParser
import Domain
import Foundation
import InMemoryLogging
import Ingest
import Logging
import Messaging
import Testing
import Web

@testable import Commands

@Suite("Which links use keys")
struct LinkKeysTests {
  private let folder: String

  /// The log lines about keys: level, message, and the address where there is one.
  private func announcement(of keys: LinkKeys) -> [String] {
    let log = InMemoryLogHandler()
    keys.announce(to: Logger(label: "test") { _ in log })
    return log.entries.map { entry in
      let address = entry.metadata["address"].map { " \($0)" } ?? ""
      return "\(entry.level) \(entry.message)\(address)"
    }
  }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-links-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try KeyFile.write(.random(), to: folder + "/key", replaces: false)
    try Data("\(KeyPair.random().publicKey) a\n".utf8).write(to: URL(fileURLWithPath: folder + "/list"))
    try Data("nonsense\n".utf8).write(to: URL(fileURLWithPath: folder + "/bad"))
  }

  private func settings() async throws -> Settings { try await Settings(CommonOptions.parse([])) }

  /// The keys of a job link at an address, or why they are refused; KEY, LIST and BAD are files.
  private func jobs(_ arguments: String) async throws -> Result<CurveServer?, SettingError> {
    let words = arguments.split(separator: " ").map {
      ["KEY": "\(folder)/key", "LIST": "\(folder)/list", "BAD": "\(folder)/bad"][String($0)] ?? String($0)
    }
    let options = try IngestOptions.parse(words)
    let settings = try await settings()
    do {
      var keys = try options.keys(settings)
      return .success(try options.configuration(settings, keys: &keys).jobsCurve)
    } catch let error as SettingError { return .failure(error) }
  }

  @Test(
    "Nothing changes without keys on loopback; elsewhere plain text and keys without a list are refused",
    arguments: [
      ("", nil), ("--jobs ipc:///tmp/x", nil), ("--jobs tcp://[::1]:1", nil),
      ("--jobs tcp://10.0.0.1:1 --allow-plaintext jobs", nil),
      ("--jobs tcp://*:1 --changes tcp://*:2 --allow-plaintext changes,jobs", nil),
      ("--jobs tcp://10.0.0.1:1", "--allow-plaintext jobs"), ("--jobs tcp://0.0.0.0:1", "plain text"),
      ("--jobs tcp://*:1 --allow-plaintext changes", "--allow-workers"),
      ("--changes tcp://*:1", "--allow-feeds"), ("--changes tcp://*:1 --allow-plaintext jobs,feed", "--changes"),
      ("--jobs tcp://10.0.0.1:1 --key-file KEY", "--allow-workers"), ("--allow-workers LIST", "--key-file"),
      ("--allow-plaintext all", "jobs, changes, feed"), ("--allow-workers BAD --key-file KEY", "line 1"),
      ("--allow-workers /missing --key-file KEY", "/missing"), ("--key-file LIST --allow-workers LIST", "chmod 600"),
      ("--key-file /missing", "/missing"),
    ])
  func refused(arguments: String, complaint: String?) async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    switch try await jobs(arguments) {
    case .success(let curve): #expect(complaint == nil && curve == nil)
    case .failure(let error):
      #expect(error.description.contains(try #require(complaint, "\(error)")), "\(error)")
    }
  }

  @Test("A feed that other hosts reach starts with the example file's links in plain text")
  func example() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let example = try String(contentsOf: root.appending(path: "deploy/onthemap.env.example"), encoding: .utf8)
    let line = try #require(example.split(separator: "\n").first { $0.hasPrefix("#ONTHEMAP_ALLOW_PLAINTEXT=") })
    let file = folder + "/onthemap.env"
    let cases: [(lines: [String], complaint: String?)] = [
      ([String(line.dropFirst())], nil), (["ONTHEMAP_ALLOW_PLAINTEXT=feed"], "--query"), ([], "--publish"),
    ]
    for (lines, complaint) in cases {
      let text = (["ONTHEMAP_PUBLISH=tcp://0.0.0.0:7710"] + lines).joined(separator: "\n") + "\n"
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      let settings = try await Settings(CommonOptions.parse(["--config", file]))
      var refusal: SettingError?
      do {
        var keys = try LinkKeys(settings, keyFile: nil, listens: true)
        _ = try FeedOptions.parse([]).configuration(
          settings, ingest: Endpoint("tcp://127.0.0.1:7702"), http: ("127.0.0.1", 8081), keys: &keys)
      } catch let error as SettingError { refusal = error }
      let isRight = refusal.map { "\($0)".contains(complaint ?? "nothing") } ?? (complaint == nil)
      #expect(isRight, "\(lines): \(refusal as Any)")
    }
  }

  @Test(
    "A list makes a link use keys, wherever it is",
    arguments: [
      ("--key-file KEY --allow-workers LIST", 1), ("--jobs tcp://*:1 --key-file KEY --allow-workers LIST", 1),
      ("--jobs tcp://*:1 --key-file KEY --allow-workers anyone", nil),
    ])
  func used(arguments: String, count: Int?) async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let curve = try #require(try await jobs(arguments).get())
    #expect(curve.access.count == count)
    #expect(curve.keys.secret == (try KeyFile.read(folder + "/key").secret))
  }

  /// Returns the lines that `feed`, with a closed map or an open one, logs of its links at startup with these options,
  /// or why it refuses them.
  private func announced(_ arguments: String, isClosed: Bool = true) async throws -> Result<[String], SettingError> {
    let words = arguments.split(separator: " ").map {
      ["KEY": "\(folder)/key", "LIST": "\(folder)/list"][String($0)] ?? String($0)
    }
    let command = try FeedCommand.parse(words)
    let settings = try await settings()
    do {
      var keys = try LinkKeys(
        settings, keyFile: command.keyFile, allowPlaintext: command.allowPlaintext, listens: true)
      _ = try command.options.configuration(
        settings, ingest: try Endpoint("tcp://127.0.0.1:1"), http: ("127.0.0.1", 0), keys: &keys)
      try keys.apply(to: isClosed ? .closed(nil) : .open)
      return .success(announcement(of: keys))
    } catch let error as SettingError { return .failure(error) }
  }

  @Test("A closed map wants a list of subscribers where everybody with the feed's public key could read it")
  func closedMap() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for arguments in [
      "--key-file KEY --allow-subscribers anyone", "--publish tcp://*:1 --key-file KEY --allow-subscribers anyone",
    ] {
      guard case .failure(let error) = try await announced(arguments) else {
        Issue.record("\(arguments) are not refused.")
        continue
      }
      for word in ["--viewing", "--allow-subscribers", "anyone", "a file of subscribers' public keys"] {
        #expect(error.description.contains(word), "\(error)")
      }
    }
    guard case .failure = try await announced("--publish tcp://*:1") else {
      Issue.record("A port in plain text wants --allow-plaintext, as where the map is open.")
      return
    }
  }

  @Test("Plain text at a port of a closed map is a warning for each port that other hosts reach")
  func closedMapInPlainText() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let plain = "--publish tcp://0.0.0.0:7710 --allow-plaintext feed,query"
    let warnings = try await announced(plain).get().filter { $0.hasPrefix("warning the map is closed") }
    #expect(warnings.count == 2)
    for (warning, port) in zip(warnings, ["tcp://0.0.0.0:7710", "tcp://0.0.0.0:7711"]) {
      #expect(warning.contains("without an account") && warning.contains("--allow-subscribers"), "\(warning)")
      #expect(warning.hasSuffix(port), "\(warning)")
    }
    let one = "--publish tcp://0.0.0.0:7710 --query tcp://127.0.0.1:1 --allow-plaintext feed"
    #expect(try await announced(one).get().count == 1)
    for quiet in ["", "--publish tcp://*:1 --key-file KEY --allow-subscribers LIST"] {
      #expect(try await announced(quiet).get().allSatisfy { !$0.hasPrefix("warning") }, "\(quiet)")
    }
    #expect(try await announced(plain, isClosed: false).get().isEmpty, "An open map is for everybody.")
  }

  /// Returns the lines that `ingest` logs of its links at startup with these options, or why it refuses them.
  private func announcedByIngest(
    _ arguments: String, viewing: String = "closed"
  ) async throws -> Result<[String], SettingError> {
    let words = arguments.split(separator: " ").map {
      ["KEY": "\(folder)/key", "LIST": "\(folder)/list"][String($0)] ?? String($0)
    }
    let options = try IngestOptions.parse(words + ["--viewing", viewing])
    let settings = try await settings()
    do {
      var keys = try options.keys(settings)
      let configuration = try options.configuration(settings, keys: &keys)
      try keys.apply(to: configuration.page.viewing)
      return .success(announcement(of: keys))
    } catch let error as SettingError { return .failure(error) }
  }

  @Test("A closed map wants a list of feeds where everybody with ingest's public key could read the change log")
  func closedChangeLog() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let anyone = "--changes tcp://*:1 --key-file KEY --allow-feeds anyone"
    guard case .failure(let error) = try await announcedByIngest(anyone) else {
      Issue.record("\(anyone) are not refused.")
      return
    }
    for word in ["--viewing", "--allow-feeds", "anyone", "a file of feeds' public keys"] {
      #expect(error.description.contains(word), "\(error)")
    }
    guard case .success = try await announcedByIngest(anyone, viewing: "open") else {
      Issue.record("An open map is for everybody, also for every feed.")
      return
    }
  }

  @Test("Ingest with a closed map warns of each port that shows posts in plain text, and of workers without a list")
  func closedIngest() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func warnings(_ arguments: String, viewing: String = "closed") async throws -> [String] {
      let lines = try await announcedByIngest(arguments, viewing: viewing).get()
      return lines.filter { $0.hasPrefix("warning the map is closed") }
    }
    let plain =
      "--submit tcp://0.0.0.0:7700 --jobs tcp://0.0.0.0:7701 --changes tcp://0.0.0.0:7702 "
      + "--allow-plaintext submit,jobs,changes"
    let (said, ports) = (try await warnings(plain), ["tcp://0.0.0.0:7701", "tcp://0.0.0.0:7702"])
    #expect(said.count == 2)
    for (warning, (port, list)) in zip(said, zip(ports, ["--allow-workers", "--allow-feeds"])) {
      #expect(warning.contains("without an account") && warning.contains(list), "\(warning)")
      #expect(warning.hasSuffix(port), "\(warning)")
    }
    #expect(said.first?.contains("places of posts") == true, "A worker sees what it looks up, not the map.")
    let anyone = "--jobs tcp://*:1 --key-file KEY --allow-workers anyone"
    let warned = try await warnings(anyone)
    #expect(warned.count == 1 && warned[0].contains("places of posts") && warned[0].contains("--allow-workers"))
    for quiet in ["", "--jobs tcp://*:1 --changes tcp://*:2 --key-file KEY --allow-workers LIST --allow-feeds LIST"] {
      #expect(try await warnings(quiet).isEmpty, "\(quiet)")
    }
    for open in [plain, anyone] { #expect(try await warnings(open, viewing: "open").isEmpty, "\(open)") }
  }

  @Test("A client's public key of the server may be the key or a file; its own is made only where that will do")
  func client() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let settings = try await settings()
    let server = try KeyPair.random().publicKey
    try Data("# ingest's\n\(server)\n".utf8).write(to: URL(fileURLWithPath: folder + "/ingest.pub"))
    let keys = try LinkKeys(settings, keyFile: folder + "/key")
    for flag in ["\(server)", folder + "/ingest.pub"] {
      let curve = try keys.client(.ingestKey, flag: flag, needsOwn: true, settings: settings)
      #expect(curve?.server == server && curve?.keys.secret == keys.own?.secret)
    }
    #expect(try keys.client(.ingestKey, flag: nil, needsOwn: true, settings: settings) == nil)
    for flag in ["nonsense", folder + "/bad", folder + "/key", "\(server)x", folder] {
      let error = #expect(throws: SettingError.self, "\(flag)") {
        try keys.client(.ingestKey, flag: flag, needsOwn: true, settings: settings)
      }
      #expect(error?.description.contains("--ingest-key") == true)
    }
    let none = try LinkKeys(settings, keyFile: nil)
    #expect(throws: SettingError.self) {
      try none.client(.ingestKey, flag: "\(server)", needsOwn: true, settings: settings)
    }
    #expect(try none.client(.feedKey, flag: "\(server)", needsOwn: false, settings: settings) != nil)
    #expect(throws: SettingError.self) { try keys.check(isUsed: false, wanted: .ingestKey) }
    try none.check(isUsed: false, wanted: .ingestKey)
  }
}
