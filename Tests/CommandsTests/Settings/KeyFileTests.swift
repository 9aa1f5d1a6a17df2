import Domain
import Foundation
import Logging
import Messaging
import Testing

@testable import Commands

@Suite("Key files")
final class KeyFileTests {
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-keys-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func path(_ name: String) -> String { folder + "/" + name }

  private func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    return path(name)
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("A new key file is readable by its owner only, and no other file remains")
  func written() throws {
    let pair = try KeyPair.random()
    try KeyFile.write(pair, to: path("a.key"), replaces: false)
    #expect(try mode(path("a.key")) == 0o600)
    #expect(try KeyFile.read(path("a.key")).secret == pair.secret)
    let link = path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a.key")
    #expect(try KeyFile.read(link).secret == pair.secret)
    try FileManager.default.removeItem(atPath: link)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.key"])
    #expect(try String(contentsOfFile: path("a.key"), encoding: .utf8).contains(pair.publicKey.description))
  }

  @Test("An existing key file is kept without --force, and a replaced file gets mode 600")
  func replaced() throws {
    let (old, new) = (try KeyPair.random(), try KeyPair.random())
    try KeyFile.write(old, to: path("a.key"), replaces: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path("a.key"))
    let mistake = #expect(throws: KeyFile.FileError.self) {
      try KeyFile.write(new, to: path("a.key"), replaces: false)
    }
    #expect(mistake?.description.contains("--force") == true)
    #expect(try String(contentsOfFile: path("a.key"), encoding: .utf8).contains(old.secret))
    try KeyFile.write(new, to: path("a.key"), replaces: true)
    #expect(try KeyFile.read(path("a.key")).secret == new.secret)
    #expect(try mode(path("a.key")) == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.key"])
  }

  @Test(
    "A key file that others can read is refused with the command that fixes it",
    arguments: [0o644, 0o604, 0o602, 0o622, 0o660, 0o777])
  func open(mode: Int) throws {
    let file = try write("\(KeyPair.random().secret)\n", to: "a.key", mode: mode)
    let mistake = #expect(throws: KeyFile.FileError.self) { try KeyFile.read(file) }
    #expect(mistake?.description.contains("chmod 600 \(file)") == true)
  }

  @Test("Only a file of root may be readable by its group, like systemd's credentials")
  func group() {
    for (mode, owner, isPrivate) in [
      (0o600, 1_000, true), (0o400, 1_000, true), (0o440, 0, true), (0o640, 0, true), (0o600, 0, true),
      (0o640, 1_000, false), (0o440, 1_000, false), (0o660, 0, false), (0o644, 0, false), (0o601, 0, false),
    ] as [(UInt32, UInt32, Bool)] {
      #expect(KeyFile.isPrivate(mode: 0o100_000 | mode, owner: owner) == isPrivate)
    }
  }

  @Test("A malformed key file is refused, and the error does not repeat its contents")
  func malformed() throws {
    let secret = try KeyPair.random().secret
    for text in ["", "# a comment\n", "short\n", "\(secret)x\n", "\(secret)\n\(secret)\n", "\(secret) name\n"] {
      let file = try write(text, to: "a.key")
      let mistake = #expect(throws: KeyFile.FileError.self) { try KeyFile.read(file) }
      #expect(mistake?.description.contains(file) == true && mistake?.description.contains(secret) == false)
    }
    for file in [path("missing"), folder, "/dev/null"] {
      let mistake = #expect(throws: KeyFile.FileError.self) { try KeyFile.read(file) }
      #expect(mistake?.description.contains(file) == true)
    }
    let long = try write(String(repeating: "#", count: Limits.keyFileBytesMax + 1), to: "long")
    #expect(throws: KeyFile.FileError.self) { try KeyFile.text(long) }
    #expect(try KeyFile.text(write(String(repeating: "#", count: Limits.keyFileBytesMax), to: "long")).isEmpty == false)
  }

  @Test("An allowlist is reloaded as a whole, and an invalid file changes nothing")
  func reload() throws {
    let (one, two) = (try KeyPair.random().publicKey, try KeyPair.random().publicKey)
    let list = try AllowListFile(
      .allowWorkers, path: write("\(one) a\n", to: "list", mode: 0o644), link: .jobs, own: nil)
    let logger = makeLogger("test", level: .critical)
    #expect(list.access.name(of: one) == "a" && list.access.count == 1)
    _ = try write("\(two) b\nnonsense\n", to: "list")
    list.reload(logger: logger)
    #expect(list.access.name(of: one) == "a" && list.access.name(of: two) == nil)
    _ = try write("\(two) b\n", to: "list")
    list.reload(logger: logger)
    #expect(list.access.name(of: one) == nil && list.access.name(of: two) == "b")
    try FileManager.default.removeItem(atPath: path("list"))
    list.reload(logger: logger)
    #expect(list.access.name(of: two) == "b")
  }
}
