import Fuzzing
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Submit codec")
struct SubmitCodecTests {
  /// Requires that the codec decodes bytes as the generated code does, if it decodes them at all.
  static func requireSameReading(of bytes: [UInt8]) throws {
    if let message = ProducerMessage(fieldByField: bytes) {
      let request = try #require(SubmitRequest([bytes][...]), "\(bytes)")
      try #require(request.requestID == message.id && request.token == message.token, "\(bytes)")
      try #require(request.major == message.major && request.minor == message.minor, "\(bytes)")
      guard case .batch(let batch)? = request.body, case .batch(let posts)? = message.body else {
        throw Mismatch(bytes: bytes)
      }
      try #require(batch.posts.map(\.post) == posts, "\(bytes)")
    }
    guard let (id, start, receipts) = SubmitCodec.receipts(bytes) else { return }
    let reply = try #require(SubmitReply([bytes]), "\(bytes)")
    guard case .receipts(let generated)? = reply.body else { throw Mismatch(bytes: bytes) }
    try #require(reply.requestID == id && generated.receipts.compactMap(\.receipt) == receipts, "\(bytes)")
    try #require(generated.receipts.count == receipts.count && reply.start == start, "\(bytes)")
  }

  struct Mismatch: Error { let bytes: [UInt8] }

  @Test("The submit codec encodes and decodes exactly as the generated code")
  func sameAsGenerated() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let (posts, receipts, id) = (random.posts(below: 40), random.receipts(below: 40), random.number() | 1)
      let batch = SubmitCodec.batch(posts, id: id, token: "token")
      let generated = SubmitRequest(id: id, token: "token", .batch(.with { $0.posts = posts.map { .init($0) } }))
      try #require(batch == generated.bytes, "seed \(seed)")
      try Self.requireSameReading(of: batch)
      let start = random.happens(50) ? nil : IngestStart.sample(.random(in: 1...Limits.generationMax, using: &random))
      let written = SubmitCodec.receipts(receipts, id: id, start: start)
      let reply = SubmitReply(id: id, start: start, .receipts(.with { $0.receipts = receipts.map { .init($0) } }))
      try #require(written == reply.bytes, "seed \(seed)")
      try Self.requireSameReading(of: written)
    }
  }

  @Test("The submit codec decodes batches and receipts of stored posts itself")
  func short() throws {
    var random = SeededRandom(seed: 1)
    for _ in 0..<100 {
      let posts = random.posts(below: 9)
      let message = try #require(ProducerMessage(fieldByField: SubmitCodec.batch(posts, id: 7, token: "token")))
      guard case .batch(let read)? = message.body else { throw Mismatch(bytes: []) }
      #expect(message.id == 7 && message.token == "token" && read.count == posts.count)
      let stored = random.receipts(below: 9).filter { $0.post != nil }
      let reply = try #require(SubmitCodec.receipts(SubmitCodec.receipts(stored, id: 7, start: .sample(300))))
      #expect(reply.id == 7 && reply.start == .sample(300) && reply.receipts == stored)
    }
  }

  @Test("Coordinates outside the earth stay invalid in a batch, and zero degrees stay valid")
  func points() throws {
    for (latitude, longitude) in [(0.0, 0.0), (-0.0, 1e-9), (1e9, -1e9), (.nan, .infinity)] {
      let post = SubmittedPost(
        idempotencyKey: "k", place: "Oslo", link: "x.y", latitude: latitude, longitude: longitude)
      let bytes = SubmitCodec.batch([post], id: 1, token: "t")
      let draft = try #require(SubmitRequest([bytes][...])?.batch.posts.first)
      #expect(draft.hasLatE7 && draft.hasLonE7 && draft == .init(post))
      try Self.requireSameReading(of: bytes)
      #expect(ProducerMessage(fieldByField: bytes) != nil)
    }
  }

  /// Encodes a batch with one post, to which `post` adds fields.
  private func batch(_ post: (inout FieldWriter) -> Void) -> [UInt8] {
    var frame = FieldWriter()
    frame.version()
    frame.number(4, 1)
    frame.text(5, "token")
    frame.message(16) { batch in
      batch.message(1) { fields in
        fields.add(Onthemap_Submit_V1_Draft(.sample(1)).bytes)
        post(&fields)
      }
    }
    return frame.bytes
  }

  @Test("The submit codec decodes unusual fields of a post as the generated code does")
  func unusual() throws {
    let additions: [(isAccepted: Bool, (inout FieldWriter) -> Void)] = [
      (true, { $0.number(15, 1) }), (true, { $0.text(15, "new") }), (true, { $0.fixed32(4, 5) }),
      (true, { $0.number(1, 5) }), (true, { $0.text(2, "Oslo") }), (true, { $0.add([0x12, 0]) }),
      (true, { $0.number(4, 1 << 32) }), (true, { $0.text(6, "no trace") }), (true, { $0.text(6, "") }),
      (false, { $0.data(1, [0xFF]) }), (false, { $0.data(6, [0xFF]) }), (false, { $0.add([0]) }),
      (false, { $0.add([0x12, 9]) }),
    ]
    #expect(ProducerMessage(fieldByField: batch { _ in }) != nil)
    for (index, (isAccepted, addition)) in additions.enumerated() {
      let bytes = batch(addition)
      try Self.requireSameReading(of: bytes)
      #expect((SubmitRequest([bytes][...])?.batch.posts.count == 1) == isAccepted, "\(index)")
      #expect(isAccepted || ProducerMessage(fieldByField: bytes) == nil, "\(index)")
    }
  }
}

extension SeededRandom {
  /// Returns a random number of a random length in bits.
  fileprivate mutating func number() -> UInt64 { next() >> UInt64(below(64)) }

  private mutating func text() -> String {
    String((0..<below(3) * below(40)).map { _ in one(of: Array("aZ 0,é漢🌍")) })
  }

  private mutating func degrees() -> Double? {
    one(of: [nil, 0, -180, 500, Double(Int64(bitPattern: next()) % 1_800_000_000) / 1e7])
  }

  mutating func posts(below count: Int) -> [SubmittedPost] {
    (0..<below(count)).map { _ in
      SubmittedPost(
        idempotencyKey: text(), place: text(), link: text(), latitude: degrees(), longitude: degrees(),
        trace: happens(20) ? TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01") : nil)
    }
  }

  fileprivate mutating func receipts(below count: Int) -> [SubmitReceipt] {
    (0..<below(count)).map { _ in
      let refusal = SubmitRefusal(code: text(), detail: text(), field: text())
      let id = PostID.numbered(number() >> 6)
      return one(
        of: [.accepted(id), .accepted(id), .replayed(id), .refused(refusal), .busy(refusal, retryAfterMs: 2_000)])
    }
  }
}
