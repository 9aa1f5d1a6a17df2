import Domain
import Foundation
import Fuzzing
import Testing

@testable import SQLiteStore

@Suite("Backup manifest")
struct BackupManifestTests {
  private static let sample = BackupManifest(
    schema: Schema.version, epoch: String(repeating: "0f", count: 16), generation: 3, account: 2, post: "4DYFqiDpVQ",
    seq: 9,
    accounts: 2, posts: 8, queued: 1, bytes: 4_096, blake2b: String(repeating: "ab", count: 32),
    created: "2026-11-26T18:15:30.000Z")

  private func parse(_ json: [UInt8]) throws -> BackupManifest { try BackupManifest(json: json, path: "m.json") }

  @Test("A manifest is read as it was written")
  func written() throws {
    #expect(try parse(Self.sample.json) == Self.sample)
    var empty = Self.sample
    (empty.post, empty.account, empty.seq, empty.accounts, empty.posts, empty.queued) = ("", 0, 0, 0, 0, 0)
    #expect(try parse(empty.json) == empty && empty.record?.mark.post == 0)
    #expect(Self.sample.record?.mark.generation == 3 && Self.sample.createdMs == BackupFixture.unixMs)
  }

  private static let changes: [@Sendable (inout BackupManifest) -> Void] = [
    { $0.epoch = "0f" }, { $0.epoch = String(repeating: "0F", count: 16) }, { $0.account = -1 },
    { $0.post = "4DYFqiDpV" }, { $0.bytes = 0 }, { $0.posts = -1 }, { $0.accounts = -1 }, { $0.queued = -1 },
    { $0.schema = 0 }, { $0.format = 0 }, { $0.generation = Limits.generationMax + 1 },
    { $0.seq = UInt64(Int64.max) + 1 },
    { $0.blake2b = "ab" }, { $0.blake2b = String(repeating: "ag", count: 32) }, { $0.created = "yesterday" },
  ]

  @Test("A manifest with a field out of range is refused as damaged", arguments: changes.indices)
  func range(index: Int) {
    var manifest = Self.sample
    Self.changes[index](&manifest)
    let error = #expect(throws: BackupError.self) { try parse(manifest.json) }
    #expect(error?.description.contains("m.json is damaged: a field is out of range") == true)
  }

  @Test("A manifest at the edges of its ranges is accepted")
  func edges() throws {
    var manifest = Self.sample
    (manifest.generation, manifest.seq, manifest.bytes) = (Limits.generationMax, UInt64(Int64.max), 1)
    (manifest.account, manifest.post) = (.max, "zzzzzzzzzz")
    #expect(try parse(manifest.json) == manifest)
  }

  @Test("A backup of a newer format or schema is refused with the version that can restore it")
  func newer() throws {
    var manifest = Self.sample
    manifest.product = "9.1.0\n"
    manifest.schema = Schema.version + 1
    let schema = #expect(throws: BackupError.self) { try parse(manifest.json) }
    #expect(schema?.description.contains("Restore with onthemap 9.1.0\u{FFFD} or later.") == true)
    manifest.format = BackupManifest.formatVersion + 1
    let format = #expect(throws: BackupError.self) { try parse(manifest.json) }
    #expect(format?.description.contains("has format 2, and this program reads 1 or less") == true)
    // A newer format may have other fields.
    let head = #expect(throws: BackupError.self) { try parse(Array(#"{"format": 7, "product": "9.1.0"}"#.utf8)) }
    #expect(head?.description.contains("has format 7") == true)
  }

  @Test(
    "JSON that is no manifest is refused", arguments: ["", "{", "[]", "null", "{\"format\": 1}", "{\"format\": \"1\"}"])
  func other(text: String) {
    #expect(throws: BackupError.self) { try parse(Array(text.utf8)) }
  }

  @Test("A manifest of the maximum size is read, and a larger one is refused")
  func size() throws {
    let padding = Limits.backupManifestBytesMax - Self.sample.json.count
    #expect(try parse(Self.sample.json + Array(repeating: 0x20, count: padding)) == Self.sample)
    #expect(throws: BackupError.self) { try parse(Self.sample.json + Array(repeating: 0x20, count: padding + 1)) }
  }

  @Test("A mutated manifest is refused, or all of its fields are in range")
  func mutated() {
    Fuzz.rounds(2_000) { random in
      let bytes = random.changed(Self.sample.json, with: [Self.sample.json])
      guard let manifest = try? parse(bytes) else { return false }
      try #require(manifest.record != nil && manifest.bytes > 0 && manifest.schema <= Schema.version, "\(bytes)")
      return try parse(manifest.json) == manifest
    }
  }

  @Test("A name of a backup is read back, and any other name is not")
  func names() {
    let name = BackupName(unixMs: BackupFixture.unixMs)
    #expect(name.file == "onthemap-20261126T181530Z.sqlite" && name.time == "20261126T181530Z")
    #expect(BackupName(leading: name.part) == name && BackupName(leading: name.manifest) == name)
    #expect(name < BackupName(unixMs: BackupFixture.unixMs + 1_000))
    #expect(BackupName(unixMs: BackupFixture.unixMs + 999) == name)
    for text in [
      "", "onthemap-", "onthemap-20261126T18153Z.sqlite", "onthemap-20261126 181530Z", "onthemap-2026112６T181530Z",
      "onthemap-20261126T181530z.sqlite", "Onthemap-20261126T181530Z.sqlite", "onthemap-2026-1126T18153Z",
    ] {
      #expect(BackupName(leading: text) == nil, "\(text)")
    }
  }
}
