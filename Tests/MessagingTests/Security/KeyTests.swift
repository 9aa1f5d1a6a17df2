import Fuzzing
import Testing

@testable import Domain
@testable import Messaging

@Suite("Keys and allowlists")
struct KeyTests {
  /// A valid key that differs for each number.
  private static func key(_ number: Int) -> String {
    PublicKey(bytes: withUnsafeBytes(of: UInt64(number).bigEndian) { [UInt8](repeating: 7, count: 24) + $0 })?
      .description ?? ""
  }

  @Test("Z85 equals the examples of ZeroMQ RFC 32")
  func z85() {
    #expect(Z85.text([0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B]) == "HelloWorld")
    #expect(Z85.bytes("HelloWorld") == [0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B])
    #expect(Z85.text([]) == "" && Z85.bytes("") == [])
    #expect(Z85.text([1, 2, 3]) == nil)
    for text in ["Hello1", "Hell", "Hell\"", "Hell ", "Hellé", "#####", "%nSc1"] { #expect(Z85.bytes(text) == nil) }
    #expect(Z85.bytes("%nSc0") == [255, 255, 255, 255])
  }

  @Test("A key survives a round trip through Z85")
  func roundTrip() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<500 {
      let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
      let key = PublicKey(bytes: bytes)
      #expect(key?.description.utf8.count == 40 && PublicKey(key?.description ?? "")?.bytes == bytes)
    }
  }

  @Test(
    "A key of another length than 40 characters is refused",
    arguments: ["", "x", String(repeating: "0", count: 39), String(repeating: "0", count: 41)])
  func wrongKey(text: String) {
    #expect(PublicKey(text) == nil)
    #expect(PublicKey(bytes: Array(text.utf8)) == nil)
  }

  @Test("An allowlist has a key and a name per line, with comments, blank lines and white space")
  func list() throws {
    let (one, two) = (Self.key(1), Self.key(2))
    let list = try AllowList("# workers\n\n\(one) seattle\r\n  \t\(two)\t two words \n#\(one) out of use\n# \(one) x")
    #expect(list.count == 2)
    #expect(PublicKey(one).flatMap { list.name(of: $0) } == "seattle")
    #expect(PublicKey(two).flatMap { list.name(of: $0) } == "two words")
    #expect(PublicKey(Self.key(3)).flatMap { list.name(of: $0) } == nil)
    #expect(try AllowList("").count == 0)
  }

  @Test("A key never starts like a comment")
  func hash() throws {
    // Five characters that start with # encode more than four bytes can hold.
    #expect(Z85.bytes("#0000") == nil && PublicKey(bytes: Array(repeating: 255, count: 32))?.description.first == "%")
    #expect(try AllowList("#\(Self.key(1)) ana").count == 0)
  }

  @Test("A bad allowlist line is an error with its line number and the expected form")
  func badLines() {
    let one = Self.key(1)
    for (text, line, words) in [
      ("short name", 1, "40 characters"), ("# fine\n\n\(one)", 3, "a name"), ("\(one) a\n\(one) b", 2, "line 1"),
      ("\(one)x a", 1, "not a public key"), ("\(one) \(String(repeating: "n", count: 65))", 1, "1 to 64"),
      ("\(one) a\u{7}b", 1, "control"), ("\(one) a\u{202E}b", 1, "control"), ("\u{1B}[31m x", 1, "not a public key"),
    ] {
      let error = #expect(throws: AllowList.ParseError.self) { try AllowList(text) }
      #expect(error?.line == line && error?.description.contains(words) == true, "\(text)")
      #expect(error?.description.contains("\u{1B}") == false)
    }
  }

  @Test("Names and allowlists are accepted up to their limits")
  func limits() throws {
    _ = try AllowList("\(Self.key(1)) \(String(repeating: "n", count: Limits.keyNameBytesMax))")
    let lines = (1...Limits.allowedKeysMax).map { "\(Self.key($0)) n" }.joined(separator: "\n")
    #expect(try AllowList(lines).count == Limits.allowedKeysMax)
    #expect(lines.utf8.count < Limits.keyFileBytesMax)
    let error = #expect(throws: AllowList.ParseError.self) { try AllowList(lines + "\n\(Self.key(0)) n") }
    #expect(error?.line == Limits.allowedKeysMax + 1)
  }

  @Test("An allowlist is a subset of an allowlist with more keys or other names")
  func subset() throws {
    let (one, two) = ("\(Self.key(1)) a", "\(Self.key(2)) b")
    let both = try AllowList(one + "\n" + two)
    #expect(try AllowList(one).isSubset(of: both) && both.isSubset(of: both))
    #expect(try !both.isSubset(of: AllowList(one)))
    #expect(try AllowList(one).isSubset(of: AllowList("\(Self.key(1)) other")))
  }
}

@Suite("Handshake backoff")
struct HandshakeBackoffTests {
  @Test("A failing client makes 12 to 24 attempts a minute, with pauses of at most 5 s", arguments: 0..<50)
  func bound(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var backoff = HandshakeBackoff()
    var (nowMs, attempts) = (Int64(0), 0)
    while nowMs < 600_000 {
      backoff.failed(nowMs: nowMs, using: &random)
      attempts += 1
      let dueMs = backoff.dueMs ?? 0
      #expect((Limits.handshakePauseBaseMs / 2...Limits.handshakePauseCapMs).contains(dueMs - nowMs))
      nowMs = dueMs
      backoff.begun()
      #expect(backoff.dueMs == nil)
    }
    #expect(attempts <= 242)
    // Attempts must also be frequent enough for a newly added key.
    #expect(attempts >= 120)
  }

  @Test("A success resets the backoff")
  func success() {
    var random = SeededRandom(seed: 1)
    var backoff = HandshakeBackoff()
    for _ in 0..<9 { backoff.failed(nowMs: 0, using: &random) }
    backoff.succeeded()
    #expect(backoff.dueMs == nil)
    backoff.failed(nowMs: 0, using: &random)
    #expect(backoff.dueMs ?? .max <= Limits.handshakePauseBaseMs)
  }
}

@Suite("Log rate limiter")
struct LogRateLimiterTests {
  @Test("The log has one line a minute per peer, with the count of suppressed lines")
  func repeated() {
    var logLimiter = LogRateLimiter()
    #expect(logLimiter.admit("a", nowMs: 0) == 0)
    for ms in 1...99 { #expect(logLimiter.admit("a", nowMs: Int64(ms)) == nil) }
    #expect(logLimiter.admit("b", nowMs: 100) == 0)
    #expect(logLimiter.admit("a", nowMs: Limits.logRepeatMs - 1) == nil)
    #expect(logLimiter.admit("a", nowMs: Limits.logRepeatMs) == 100)
  }

  @Test("Log lines per second and memory are bounded for any number of peers")
  func flood() {
    var logLimiter = LogRateLimiter()
    let lines = (0..<100_000).filter { logLimiter.admit("peer \($0)", nowMs: Int64($0 / 1_000)) != nil }
    #expect(lines.count == Limits.logLinesPerSecondMax)
    let later = (0..<2_000).filter { logLimiter.admit("other \($0)", nowMs: Int64(1_000 * ($0 + 1))) != nil }
    // The limiter's memory is full only if more peers log within a minute than it can hold.
    #expect(later.count == 2_000)
  }
}
