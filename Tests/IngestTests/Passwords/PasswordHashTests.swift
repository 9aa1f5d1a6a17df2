import CSodium
import Testing

@testable import Ingest

@Suite("Password hash")
struct PasswordHashTests {
  let memory: HashBuffer

  init() throws {
    Secrets.prepare()
    memory = try #require(HashBuffer())
  }

  @Test(
    "A hash matches its own password only, also in reused memory", arguments: ["correct horse", "ⓟ🐎", "x\0y", ""])
  func own(password: String) throws {
    let hash = try #require(PasswordHash.make(password, in: memory))
    #expect(PasswordHash.isPassword(password, of: hash, in: memory))
    #expect(!PasswordHash.isPassword(password + "r", of: hash, in: memory))
    #expect(!PasswordHash.isOutdated(hash))
    #expect(PasswordHash.make(password, in: memory) != hash)
  }

  @Test("Hashes are compatible with libsodium in both directions")
  func interoperability() throws {
    let ours = try #require(PasswordHash.make("correct horse", in: memory))
    #expect(crypto_pwhash_str_verify(ours, "correct horse", 13) == 0)
    #expect(PasswordHash.isPassword("correct horse", of: libsodium(passes: 2, kib: 19_456), in: memory))
  }

  @Test("A weaker hash is valid but outdated, and a stronger hash is not outdated")
  func outdated() {
    let (weak, strong) = (libsodium(passes: 1, kib: 8_192), libsodium(passes: 3, kib: 24_576))
    #expect(PasswordHash.isPassword("correct horse", of: weak, in: memory))
    #expect(!PasswordHash.isPassword("wrong horse", of: weak, in: memory))
    #expect(PasswordHash.isOutdated(weak))
    #expect(PasswordHash.isPassword("correct horse", of: strong, in: memory))
    #expect(!PasswordHash.isOutdated(strong))
  }

  @Test(
    "A hash is outdated if it has weaker parameters or another form",
    arguments: [
      ("$argon2id$v=19$m=19456,t=2,p=1$", false), ("$argon2id$v=19$m=19455,t=2,p=1$", true),
      ("$argon2id$v=19$m=19456,t=1,p=1$", true), ("$argon2id$v=19$m=65536,t=2,p=1$", false),
      ("$argon2id$v=19$m=65536,t=1,p=1$", true), ("$argon2id$v=19$m=19456,t=2,p=2$", true),
      ("$argon2i$v=19$m=19456,t=2,p=1$", true), ("$argon2id$v=16$m=19456,t=2,p=1$", true), ("", true),
    ])
  func forms(hash: String, isOutdated: Bool) {
    #expect(PasswordHash.isOutdated(hash) == isOutdated)
  }

  @Test(
    "A malformed hash matches no password",
    arguments: [
      "", "$", "plain", "$argon2id$v=19$m=19456,t=2,p=1$", "$argon2id$v=19$m=19456,t=2,p=1$$",
      "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA",
      "$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$!!!!AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "$argon2id$v=19$m=19456,t=2,p=1$" + String(repeating: "A", count: 1_000),
    ])
  func garbage(hash: String) {
    #expect(!PasswordHash.isPassword("", of: hash, in: memory))
  }

  /// Returns a hash that libsodium makes, like older versions and other programs.
  private func libsodium(passes: UInt64, kib: Int) -> String {
    var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
    let result = crypto_pwhash_str_alg(&text, "correct horse", 13, passes, kib * 1_024, crypto_pwhash_ALG_ARGON2ID13)
    #expect(result == 0)
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
  }
}
