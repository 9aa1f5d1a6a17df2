import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("A producer with several addresses")
struct SubmitAddressTests {
  private struct Progress {
    /// Number of posts that the producer may send.
    var allowed: Int
    var sent = 0
    /// Number of receipts by post.
    var receipts: [Int: Int] = [:]

    /// Returns the next batch of ten posts. Nil if the producer may send no more.
    mutating func next() -> SubmitClient.Next? {
      guard sent < allowed else { return nil }
      defer { sent += 10 }
      return .batch(UInt64(sent + 1), (sent..<sent + 10).map { SubmittedPost.sample($0) })
    }

    mutating func record(_ event: SubmitClient.Event) {
      guard case .receipts(let id, let batch) = event else { return }
      for index in batch.indices { receipts[Int(id) - 1 + index, default: 0] += 1 }
    }
  }

  /// Starts a producer on its own reactor. The caller stops the reactor.
  private func producer(_ endpoints: Endpoint..., progress: Shared<Progress>, logger: LineLog) throws -> Reactor {
    try Reactor.start("producer", wake: WakeupEvent()) { context in
      let client = try SubmitClient(
        context, connect: endpoints, token: TestSubmitServer.token, logger: logger.logger,
        next: { nowMs in
          var next: SubmitClient.Next?
          progress.change { next = $0.next() }
          return next ?? .pause(untilMs: nowMs + 5)
        },
        event: { event in progress.change { $0.record(event) } })
      return ([client], ())
    }.reactor
  }

  @Test("A producer resends unanswered posts to the second ingest under the same keys, and gets one receipt for each")
  func silence() async throws {
    let (first, second) = (TestSubmitServer(), TestSubmitServer())
    let isMute = Shared(false)
    let (firstReactor, firstEndpoint) = try first.start(isMute: isMute)
    defer { firstReactor.stop() }
    let (secondReactor, secondEndpoint) = try second.start()
    defer { secondReactor.stop() }
    let progress = Shared(Progress(allowed: 100))
    let reactor = try producer(firstEndpoint, secondEndpoint, progress: progress, logger: LineLog())
    defer { reactor.stop() }
    try await eventually("the first posts have receipts") { progress.value.receipts.count == 100 }
    // The first ingest stores as many posts as the producer sends without replies, and then falls silent.
    first.setSilent(true)
    progress.change { $0.allowed = 300 }
    try await eventually("the first ingest has stored posts") {
      first.stored == 100 + 10 * Limits.submitRequestsOfConnectionMax
    }
    isMute.change { $0 = true }
    try await eventually("all posts have receipts") { progress.value.receipts.count == 300 }
    #expect(progress.value.receipts.values.allSatisfy { $0 == 1 })
    // The second ingest got these posts, and the later ones, under the same keys.
    #expect(second.keys == Set((100..<300).map { "key-\($0)" }))
  }

  @Test("A producer skips an address at which nothing listens, and one whose ingest does not lead")
  func unavailable() async throws {
    let answers = Counter()
    let (waiting, notLeading) = try AnsweringSocket.start(answers: answers) { bytes in
      let id = SubmitRequest([bytes][...])?.requestID ?? 0
      let error = Onthemap_Submit_V1_Error.with { ($0.code, $0.retryAfterMs) = (.notLeading, 60_000) }
      return SubmitReply(id: id, start: .sample(), .error(error)).bytes
    }
    defer { waiting.stop() }
    let server = TestSubmitServer()
    let (serverReactor, endpoint) = try server.start()
    defer { serverReactor.stop() }
    let progress = Shared(Progress(allowed: 50))
    let reactor = try producer(.lastingPort(), notLeading, endpoint, progress: progress, logger: LineLog())
    defer { reactor.stop() }
    try await eventually("the posts have receipts") { progress.value.receipts.count == 50 }
    #expect(server.stored == 50 && answers.value > 0)
  }

  @Test("A producer does not count the receipts of an earlier start of ingest, and resends the posts to the next start")
  func lowerGeneration() async throws {
    let (leading, earlier, next, log) = (TestSubmitServer(), TestSubmitServer(), TestSubmitServer(), LineLog())
    let (leadingReactor, address) = try leading.start(generation: 5)
    let (earlierReactor, earlierAddress) = try earlier.start(generation: 4)
    defer { earlierReactor.stop() }
    let progress = Shared(Progress(allowed: 50))
    let reactor = try producer(address, earlierAddress, progress: progress, logger: log)
    defer { reactor.stop() }
    try await eventually("the first posts have receipts") { progress.value.receipts.count == 50 }
    leadingReactor.stop()
    progress.change { $0.allowed = 100 }
    try await eventually("the producer refuses the earlier start") {
      !log.lines(with: "ingest refused: a later start of ingest is known").isEmpty
    }
    #expect(progress.value.receipts.count == 50)
    let (nextReactor, _) = try next.start(address, generation: 6)
    defer { nextReactor.stop() }
    try await eventually("all posts have receipts") { progress.value.receipts.count == 100 }
    #expect(progress.value.receipts.values.allSatisfy { $0 == 1 })
    #expect(next.stored == 50 && log.lines(with: "ingest refused: a later start").count == 1)
  }
}
