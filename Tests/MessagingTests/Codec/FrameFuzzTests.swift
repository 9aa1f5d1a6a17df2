import Foundation
import Fuzzing
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Mutated and random frames")
struct FrameFuzzTests {
  private static let state = FeedState.sample(1...6)
  private static let leases = (1...4).map { Onthemap_Jobs_V1_LeaseRef(.numbered($0)) }

  private static let workerBodies: [WorkerFrame.OneOf_Body] = [
    .hello(
      .with {
        ($0.minMajor, $0.maxMajor, $0.worker, $0.software) = (1, 1, "w", "test/1")
        $0.instance = .init(count: 16)
        $0.held = leases
      }), .credit(.with { $0.jobLimit = 64 }),
    .results(
      .with {
        $0.results = [
          .located([.sample(), .sample(level: .region)]), .located([.detailed(), .detailed()]), .notFound,
          .failed(.init(kind: .transient, code: "down", detail: "try again", retryAfterMs: 5)),
        ].map { .init(JobResult(lease: .numbered(1), outcome: $0)) }
      }),
    .release(
      .with {
        $0.leases = leases
        $0.goodbye = true
      }),
    .heartbeat(
      .with {
        $0.jobLimit = 9
        $0.held = leases
      }),
  ]

  private static let ingestBodies: [IngestFrame.OneOf_Body] = [
    .welcome(.with { ($0.heartbeatMs, $0.livenessMs, $0.maxMessageBytes, $0.maxWindow) = (2_000, 6_000, 65_536, 64) }),
    .jobs(.with { $0.jobs = [Job.post(1), .lookup].map { .init(.init(job: $0, lease: .numbered(1))) } }),
    .acks(.with { $0.acks = [.with { ($0.jobID, $0.leaseToken, $0.disposition) = (1, 2, .committed) }] }),
    .heartbeat(.with { $0.jobsSent = 7 }), .reset(.with { $0.reason = .replaced }),
    .error(.with { ($0.code, $0.detail, $0.minMajor, $0.maxMajor, $0.retryAfterMs) = (.busy, "later", 1, 1, 60_000) }),
    .drain(.init()),
  ]

  private static let feedBodies: [FeedFrame.OneOf_Body] = [
    FeedFrame.snapshot(state, .join),
    .delta(
      .with {
        ($0.prevSeq, $0.stateHash) = (5, state.hash)
        $0.upsert = [.init(.sample(6))]
        $0.remove = ["0000000001", "4D2qwHkYwD"]
      }), .heartbeat(.with { ($0.intervalMs, $0.stateHash) = (1_000, state.hash) }), .bye(.with { $0.reason = "over" }),
  ]

  private static let trace = TraceContext("00-00000000000000010000000000000001-0000000000000001-01")

  private static let fetchReplyBodies: [FetchReply.OneOf_Body] = [
    .changes(
      .init([
        .sample(5), .upsert(.sample(6).traced(trace)),
        .remove(.numbered(3), seq: 7, backfill: .sample(4)), .remove(.numbered(2), seq: 8, backfill: nil),
      ])),
    .snapshot(
      .with {
        $0.entries = [.init(.sample(6)), .init(.sample(5))]
        $0.stateHash = state.hash
      }), .error(.with { ($0.code, $0.detail) = (.malformed, "what?") }),
  ]

  private static let queryBodies: [FeedRequest.OneOf_Body] = [
    .getSnapshot(.with { ($0.ifEpoch, $0.ifSeq) = (Data(state.epoch.bytes), 6) }),
    .getChanges(.with { ($0.epoch, $0.afterSeq) = (Data(state.epoch.bytes), 5) }),
  ]

  private static let submitRequestBodies: [SubmitRequest.OneOf_Body] = [
    .batch(
      .with {
        $0.posts = [
          .init(.sample(1)),
          .init(SubmittedPost(idempotencyKey: "k", place: "Oslo", link: "x.y", latitude: -1.5, longitude: 170)),
        ]
      }), .query(.with { $0.postIds = ["0000000001", "4D2qwHkYwD"] }),
  ]

  private static let submitReplyBodies: [SubmitReply.OneOf_Body] = [
    .receipts(
      .with {
        let refusal = SubmitRefusal(code: "invalid_link", detail: "no", field: "link")
        $0.receipts = [
          .accepted(.numbered(1)), .replayed(.numbered(2)), .refused(refusal), .busy(refusal, retryAfterMs: 2_000),
        ].map { .init($0) }
      }),
    .statuses(
      .with {
        $0.statuses = [
          .init(.numbered(1), .sample(.numbered(1))), .init(.numbered(2), .sample(.numbered(2), state: .rejected)),
          .init(.numbered(3), nil),
        ]
      }), .error(.with { ($0.code, $0.detail, $0.retryAfterMs) = (.busy, "later", 2_000) }),
  ]

  /// A frame of each kind.
  static let frames: [[UInt8]] =
    workerBodies.map { WorkerFrame(session: 1 << 32 | 1, $0).bytes }
    + ingestBodies.map { IngestFrame(session: 1 << 32 | 1, $0).bytes }
    + feedBodies.map { FeedFrame(state, instance: "x", unixMs: 1, $0).bytes }
    + fetchReplyBodies.map { FetchReply(id: 1, epoch: state.epoch, seq: 6, $0).bytes }
    + [FetchRequest(id: 1, feed: "x", after: state).bytes, FetchRequest(id: 1, feed: "x", after: nil).bytes]
    + queryBodies.map { body in
      FeedRequest.with { ($0.magic, $0.major, $0.requestID, $0.body) = (Protocol.magic, Protocol.major, 1, body) }.bytes
    }
    + submitRequestBodies.map { SubmitRequest(id: 1, token: TestSubmitServer.token, $0).bytes }
    + submitReplyBodies.map { SubmitReply(id: 1, $0).bytes } + GoldenFrame.gatewayFrames.map(\.bytes)
    + GoldenFrame.gatewayReplyFrames.map(\.bytes)

  @Test("A mutated frame of the job link is refused or survives a round trip")
  func jobs() {
    Fuzz.rounds(6_000) { random in
      let bytes = random.changed(random.one(of: Self.frames), with: Self.frames)
      if let frame = WorkerFrame([bytes][...]) {
        try #require(WorkerFrame([frame.bytes][...]) == frame, "\(bytes)")
        for result in frame.results.results.compactMap(\.result) {
          try #require(Onthemap_Jobs_V1_Result(result).result == result, "\(bytes)")
          for written in JobCodec.results([result, result], session: .max) {
            try #require(written.count <= Limits.jobFrameBytesMax, "\(bytes)")
          }
        }
      }
      try JobCodecTests.requireSameReading(of: bytes)
      let reply = IngestFrame([bytes])
      if let reply { try #require(IngestFrame([reply.bytes]) == reply, "\(bytes)") }
      for job in reply?.jobs.jobs.compactMap(\.job) ?? [] {
        let again = Onthemap_Jobs_V1_Job(.init(job: job, lease: .numbered(1))).job
        try #require(again?.placeQuery.text == job.query, "\(bytes)")
      }
      return reply?.body != nil || WorkerFrame([bytes][...])?.body != nil
    }
  }

  @Test("A mutated frame of the feed or the change log is refused or survives a round trip")
  func feed() {
    Fuzz.rounds(6_000) { random in
      let bytes = random.changed(random.one(of: Self.frames), with: Self.frames)
      var read: [FeedEntry] = []
      switch FeedFrame.read(bytes) {
      case .snapshot(let state, _, _): read += state.entries
      case .delta(let delta, _, _): read += delta.upsert
      default: break
      }
      if let request = FetchRequest([bytes][...]) {
        try #require(FetchRequest([request.bytes][...]) == request, "\(bytes)")
      }
      try FeedCodecTests.requireSameReading(of: bytes)
      if let reply = FetchReply([bytes]) {
        try #require(FetchReply([reply.bytes]) == reply, "\(bytes)")
        read += entries(reply.snapshot.entries) ?? []
      }
      for entry in read { try #require(Onthemap_Feed_V1_Entry(entry).entry == entry, "\(bytes)") }
      return !read.isEmpty
    }
  }

  @Test("A mutated frame of the gateway link is refused or survives a round trip")
  func gateway() {
    Fuzz.rounds(6_000) { random in
      let bytes = random.changed(random.one(of: Self.frames), with: Self.frames)
      try GatewayCodecTests.requireSameReading(of: bytes)
      let frame = GatewayFrame([bytes][...])
      if let frame {
        try #require(GatewayFrame([frame.bytes][...]) == frame, "\(bytes)")
        for post in frame.posts.posts.map(\.post) {
          try #require(Onthemap_Gateway_V1_SessionPost(post).post == post, "\(bytes)")
        }
        if case .passwordHash(let hash) = frame.body, let result = hash.result {
          let again = Onthemap_Gateway_V1_PasswordHash(try? result.get(), number: hash.number)
          try #require(again.result == result && again.number == hash.number, "\(bytes)")
        }
      }
      let reply = GatewayReply([bytes])
      if let reply {
        try #require(GatewayReply([reply.bytes]) == reply, "\(bytes)")
        for result in reply.results.results.compactMap(\.result) {
          try #require(Onthemap_Gateway_V1_PostResult(result).result == result, "\(bytes)")
        }
        let work = reply.hashPassword.work
        try #require(Onthemap_Gateway_V1_HashPassword(work, number: 1).work == work, "\(bytes)")
      }
      return frame?.body != nil || reply?.body != nil
    }
  }

  @Test("A mutated frame of the submission link is refused or survives a round trip")
  func submission() {
    Fuzz.rounds(6_000) { random in
      let bytes = random.changed(random.one(of: Self.frames), with: Self.frames)
      try SubmitCodecTests.requireSameReading(of: bytes)
      let request = SubmitRequest([bytes][...])
      if let request {
        try #require(SubmitRequest([request.bytes][...]) == request, "\(bytes)")
        for post in request.batch.posts.map(\.post) {
          try #require(Onthemap_Submit_V1_Draft(post).post == post, "\(bytes)")
        }
      }
      let reply = SubmitReply([bytes])
      if let reply { try #require(SubmitReply([reply.bytes]) == reply, "\(bytes)") }
      for receipt in reply?.receipts.receipts.compactMap(\.receipt) ?? [] {
        try #require(Onthemap_Submit_V1_Receipt(receipt).receipt == receipt, "\(bytes)")
      }
      return request?.body != nil || reply?.body != nil
    }
  }

  /// Number of frame types that decode from these bytes with a body.
  private func readers(of bytes: [UInt8]) -> Int {
    var count = 0
    if WorkerFrame([bytes][...])?.body != nil { count += 1 }
    if IngestFrame([bytes])?.body != nil { count += 1 }
    if FeedFrame.read(bytes) != nil { count += 1 }
    if FetchRequest([bytes][...]).map({ !$0.feed.isEmpty }) == true { count += 1 }
    if FetchReply([bytes])?.body != nil { count += 1 }
    if SubmitRequest([bytes][...])?.body != nil { count += 1 }
    if SubmitReply([bytes])?.body != nil { count += 1 }
    return count
  }

  @Test("Each frame decodes, and a frame truncated anywhere causes no crash", arguments: frames)
  func cut(frame: [UInt8]) {
    #expect(readers(of: frame) > 0)
    // A truncated frame often decodes, because protobuf omits default values.
    for length in 0..<frame.count { _ = readers(of: Array(frame[..<length])) }
    #expect(readers(of: Array(frame[..<1])) == 0)
  }

  @Test("Fewer than 10 % of random byte strings decode as a frame")
  func noise() {
    var random = SeededRandom(seed: 7)
    var decoded = 0
    for _ in 0..<20_000 {
      decoded += readers(of: (0..<random.below(200)).map { _ in random.byte() }) > 0 ? 1 : 0
    }
    #expect(decoded < 2_000)
  }

  @Test("A message of 0 or several frames does not decode")
  func counts() {
    for frame in Self.frames {
      for frames in [[], [frame, frame], [[], frame], [frame, []]] {
        #expect(WorkerFrame(frames[...]) == nil && IngestFrame(frames) == nil)
        #expect(FetchRequest(frames[...]) == nil && FetchReply(frames) == nil)
        #expect(SubmitRequest(frames[...]) == nil && SubmitReply(frames) == nil)
      }
    }
  }

  @Test("A mutated topic is a join only with a nonce of 1 to 40 letters and digits")
  func topics() {
    let topics = [Topic.join("abc"), Topic.join(Topic.nonce()), Topic.snapshot].map { Array($0.utf8) }
    Fuzz.rounds(10_000) { random in
      let topic = random.changed(random.one(of: topics), with: topics)
      guard let join = Topic.join(in: topic) else { return false }
      let nonce = join.dropFirst(Topic.join("").utf8.count - 1).dropLast()
      try #require(join == topic && Topic.join(String(decoding: nonce, as: UTF8.self)).utf8.elementsEqual(topic))
      let digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8
      try #require((1...40).contains(nonce.count) && nonce.allSatisfy(digits.contains), "\(topic)")
      return true
    }
  }

  @Test("A mutated endpoint is refused or is its own normal form")
  func endpoints() {
    let texts = [
      "tcp://127.0.0.1:7701", "tcp://*:*", "tcp://[::1]:65535", "ipc://@abstract", "ipc:///run/x", "tcp://[::]:0",
      "tcp://h\u{301}ost:٣", "tcp:/\u{338}/x:1",
    ].map { Array($0.utf8) }
    Fuzz.rounds(10_000) { random in
      let text = String(decoding: random.changed(random.one(of: texts), with: texts), as: UTF8.self)
      guard let endpoint = try? Endpoint(text) else { return false }
      for form in [endpoint, endpoint.connectable] {
        try #require(try Endpoint(form.description) == form, "\(text.debugDescription)")
        try #require(form.description.hasPrefix("tcp://") || form.description.hasPrefix("ipc://"))
      }
      return true
    }
  }
}
