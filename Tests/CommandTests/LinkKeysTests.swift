import ArgumentParser
import Foundation
import Ingest
import Link
import OnTheMap
import Testing

@testable import Command

@Suite("Which links use keys")
struct LinkKeysTests {
  private let folder: String

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
