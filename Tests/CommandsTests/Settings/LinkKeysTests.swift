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

@Suite("Link encryption settings")
struct LinkKeysTests {
  private let folder: String

  /// Returns the log lines about keys. Each has the level and the message, then `exposes` and the address if present.
  private func announcement(of keys: LinkKeys) -> [String] {
    let log = InMemoryLogHandler()
    keys.announce(to: Logger(label: "test") { _ in log })
    return log.entries.map { entry in
      let exposes = entry.metadata["exposes"].map { " exposes=\($0)" } ?? ""
      let address = entry.metadata["address"].map { " \($0)" } ?? ""
      return "\(entry.level) \(entry.message)\(exposes)\(address)"
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

  /// Returns the job link's keys with these options, or the error. KEY, LIST and BAD stand for files.
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
    "Loopback links need no keys; other links need keys and an allowlist, or --allow-plaintext",
    arguments: [
      ("", nil), ("--jobs ipc:///tmp/x", nil), ("--jobs tcp://[::1]:1", nil),
      ("--jobs tcp://10.0.0.1:1 --allow-plaintext jobs", nil),
      ("--jobs tcp://*:1 --changes tcp://*:2 --allow-plaintext changes,jobs", nil),
      ("--jobs tcp://10.0.0.1:1", "--allow-plaintext jobs"), ("--jobs tcp://0.0.0.0:1", "without encryption"),
      ("--jobs tcp://*:1 --allow-plaintext changes", "--allow-workers"),
      ("--changes tcp://*:1", "--allow-feeds"), ("--changes tcp://*:1 --allow-plaintext jobs,feed", "--changes"),
      ("--jobs tcp://10.0.0.1:1 --key-file KEY", "--allow-workers"), ("--allow-workers LIST", "--key-file"),
      ("--allow-plaintext all", "jobs, changes, gateway, feed"), ("--allow-workers BAD --key-file KEY", "line 1"),
      ("--allow-workers /missing --key-file KEY", "/missing"), ("--key-file LIST --allow-workers LIST", "chmod 600"),
      ("--key-file /missing", "/missing"),
    ])
  func refused(arguments: String, message: String?) async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    switch try await jobs(arguments) {
    case .success(let curve): #expect(message == nil && curve == nil)
    case .failure(let error):
      #expect(error.description.contains(try #require(message, "\(error)")), "\(error)")
    }
  }

  @Test("The example file's --allow-plaintext suffices for a feed on a public address")
  func example() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let example = try String(contentsOf: root.appending(path: "deploy/onthemap.env.example"), encoding: .utf8)
    let line = try #require(example.split(separator: "\n").first { $0.hasPrefix("#ONTHEMAP_ALLOW_PLAINTEXT=") })
    let file = folder + "/onthemap.env"
    let cases: [(lines: [String], message: String?)] = [
      ([String(line.dropFirst())], nil), (["ONTHEMAP_ALLOW_PLAINTEXT=feed"], "--query"), ([], "--publish"),
    ]
    for (lines, message) in cases {
      let text = (["ONTHEMAP_PUBLISH=tcp://0.0.0.0:7710"] + lines).joined(separator: "\n") + "\n"
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      let settings = try await Settings(CommonOptions.parse(["--config", file]))
      var refusal: SettingError?
      do {
        var keys = try LinkKeys(settings, keyFile: nil, listens: true)
        _ = try FeedOptions.parse([]).configuration(
          settings, ingest: [Endpoint("tcp://127.0.0.1:7702")], http: ("127.0.0.1", 8081), keys: &keys)
      } catch let error as SettingError { refusal = error }
      let isRight = refusal.map { "\($0)".contains(message ?? "nothing") } ?? (message == nil)
      #expect(isRight, "\(lines): \(refusal as Any)")
    }
  }

  @Test(
    "An allowlist enables encryption on any address",
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

  @Test("A client's key is temporary only if it has no key file")
  func temporary() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let settings = try await settings()
    let server = try KeyPair.random().publicKey.description
    for (file, isTemporary) in [(nil, true), ("\(folder)/key", false)] as [(String?, Bool)] {
      let keys = try LinkKeys(settings, keyFile: file)
      let curve = try keys.client(.feedKey, flag: server, needsOwn: false, settings: settings)
      #expect(try #require(curve).isTemporary == isTemporary)
    }
  }

  /// Returns the lines that `feed` logs about its links at startup with these options, or its error. Its map is
  /// members-only or public.
  private func announced(
    _ arguments: String, isMembersOnly: Bool = true
  ) async throws -> Result<[String], SettingError> {
    let words = arguments.split(separator: " ").map {
      ["KEY": "\(folder)/key", "LIST": "\(folder)/list"][String($0)] ?? String($0)
    }
    let command = try FeedCommand.parse(words)
    let settings = try await settings()
    do {
      var keys = try LinkKeys(
        settings, keyFile: command.keyFile, allowPlaintext: command.allowPlaintext, listens: true)
      _ = try command.options.configuration(
        settings, ingest: [Endpoint("tcp://127.0.0.1:1")], http: ("127.0.0.1", 0), keys: &keys)
      try keys.apply(to: isMembersOnly ? .members(nil) : .public)
      return .success(announcement(of: keys))
    } catch let error as SettingError { return .failure(error) }
  }

  @Test("A members-only feed refuses --allow-subscribers anyone and undeclared plain text")
  func membersOnlyMap() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for arguments in [
      "--key-file KEY --allow-subscribers anyone", "--publish tcp://*:1 --key-file KEY --allow-subscribers anyone",
    ] {
      guard case .failure(let error) = try await announced(arguments) else {
        Issue.record("\(arguments): not refused.")
        continue
      }
      for word in ["--map-access", "--allow-subscribers", "anyone", "a file of subscribers' public keys"] {
        #expect(error.description.contains(word), "\(error)")
      }
    }
    guard case .failure = try await announced("--publish tcp://*:1") else {
      Issue.record("A port in plain text must need --allow-plaintext, as with a public map.")
      return
    }
  }

  @Test("A members-only feed warns about each plaintext port that other hosts can reach")
  func membersOnlyMapInPlainText() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let plain = "--publish tcp://0.0.0.0:7710 --allow-plaintext feed,query"
    let warnings = try await announced(plain).get().filter { $0.hasPrefix("warning members-only map exposed") }
    #expect(warnings.count == 2)
    for (warning, port) in zip(warnings, ["tcp://0.0.0.0:7710", "tcp://0.0.0.0:7711"]) {
      #expect(warning.contains("exposes=map") && warning.contains("--allow-subscribers"), "\(warning)")
      #expect(warning.hasSuffix(port), "\(warning)")
    }
    let one = "--publish tcp://0.0.0.0:7710 --query tcp://127.0.0.1:1 --allow-plaintext feed"
    #expect(try await announced(one).get().count == 1)
    for quiet in ["", "--publish tcp://*:1 --key-file KEY --allow-subscribers LIST"] {
      #expect(try await announced(quiet).get().allSatisfy { !$0.hasPrefix("warning") }, "\(quiet)")
    }
    #expect(try await announced(plain, isMembersOnly: false).get().isEmpty, "A public map must cause no warning.")
  }

  /// Returns the lines that `ingest` logs about its links at startup with these options, or its error.
  private func announcedByIngest(
    _ arguments: String, mapAccess: String = "members"
  ) async throws -> Result<[String], SettingError> {
    let words = arguments.split(separator: " ").map {
      ["KEY": "\(folder)/key", "LIST": "\(folder)/list"][String($0)] ?? String($0)
    }
    let options = try IngestOptions.parse(words + ["--map-access", mapAccess])
    let settings = try await settings()
    do {
      var keys = try options.keys(settings)
      let configuration = try options.configuration(settings, keys: &keys)
      try keys.apply(to: configuration.page.mapAccess)
      return .success(announcement(of: keys))
    } catch let error as SettingError { return .failure(error) }
  }

  @Test("A members-only ingest refuses --allow-feeds anyone")
  func membersOnlyChangeLog() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let anyone = "--changes tcp://*:1 --key-file KEY --allow-feeds anyone"
    guard case .failure(let error) = try await announcedByIngest(anyone) else {
      Issue.record("\(anyone): not refused.")
      return
    }
    for word in ["--map-access", "--allow-feeds", "anyone", "a file of feeds' public keys"] {
      #expect(error.description.contains(word), "\(error)")
    }
    guard case .success = try await announcedByIngest(anyone, mapAccess: "public") else {
      Issue.record("A public map must accept every feed.")
      return
    }
  }

  @Test("A members-only ingest warns about plaintext ports and about workers without an allowlist")
  func membersOnlyIngest() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func warnings(_ arguments: String, mapAccess: String = "members") async throws -> [String] {
      let lines = try await announcedByIngest(arguments, mapAccess: mapAccess).get()
      return lines.filter { $0.hasPrefix("warning members-only map exposed") }
    }
    let plain =
      "--submit tcp://0.0.0.0:7700 --jobs tcp://0.0.0.0:7701 --changes tcp://0.0.0.0:7702 "
      + "--allow-plaintext submit,jobs,changes"
    let (exposed, ports) = (try await warnings(plain), ["tcp://0.0.0.0:7701", "tcp://0.0.0.0:7702"])
    #expect(exposed.count == 2)
    for (warning, (port, list)) in zip(exposed, zip(ports, ["--allow-workers", "--allow-feeds"])) {
      #expect(warning.contains("plaintext port") && warning.contains(list), "\(warning)")
      #expect(warning.hasSuffix(port), "\(warning)")
    }
    #expect(exposed.first?.contains("exposes=places") == true, "A worker sees the places of its jobs, and not the map.")
    #expect(exposed.last?.contains("exposes=map") == true)
    let anyone = "--jobs tcp://*:1 --key-file KEY --allow-workers anyone"
    let warned = try await warnings(anyone)
    #expect(warned.count == 1 && warned[0].contains("exposes=places") && warned[0].contains("--allow-workers"))
    for quiet in ["", "--jobs tcp://*:1 --changes tcp://*:2 --key-file KEY --allow-workers LIST --allow-feeds LIST"] {
      #expect(try await warnings(quiet).isEmpty, "\(quiet)")
    }
    for open in [plain, anyone] { #expect(try await warnings(open, mapAccess: "public").isEmpty, "\(open)") }
  }

  @Test("A client accepts the server's key as text or file, and creates its own key only if allowed")
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
