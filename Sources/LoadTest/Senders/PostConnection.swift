import Glibc
import NIOCore
import NIOHTTP1

/// One connection of a load test: takes the next due post, sends it at its time, and sends it again until it is
/// answered. It uses NIO's HTTP codec instead of `HTTPClient`: a client with a pool decides itself when a connection
/// opens and which request waits for one, and that wait would count as the server's.
struct PostConnection {
  /// The server closed, or was silent for too long.
  private struct Closed: Error {}

  private struct Claim {
    let post: Int
    /// Whether it was due before this connection was free.
    let waitedForConnection: Bool
    var attempts = 0
  }

  private typealias Answers = NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
  private typealias Requests = NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>

  private let number: Int
  private let plan: LoadPlan
  private let target: PostTarget
  private let schedule: Schedule
  private let timeouts: RequestTimeouts
  private let tally: Tally
  private var claim: Claim?
  private var pauseMs = LoadLimits.pauseMs.lowerBound

  init(
    _ number: Int, plan: LoadPlan, target: PostTarget, schedule: Schedule, timeouts: RequestTimeouts, tally: Tally
  ) {
    self.number = number
    self.plan = plan
    self.target = target
    self.schedule = schedule
    self.timeouts = timeouts
    self.tally = tally
  }

  /// Until every post is answered, or the time is over.
  mutating func run() async {
    while !schedule.isOver, !Task.isCancelled, claim != nil || !schedule.isExhausted {
      let channel: PostTarget.Connection
      do { channel = try await target.connect() } catch {
        tally.fail("cannot connect")
        try? await pause()
        continue
      }
      do {
        try await channel.executeThenClose { answers, requests in
          try await sendPosts(answers.makeAsyncIterator(), requests, channel.channel)
        }
      } catch {
        timeouts.end(number)
        // A connection that ended while it had nothing to do was not needed.
        guard claim?.attempts ?? 0 > 0 else { continue }
        tally.fail(PostConnection.kind(of: error))
        try? await pause()
      }
    }
    if claim != nil { tally.recordUnanswered() }
  }

  /// Sends post after post, until none is left or the connection is not usable any more.
  private mutating func sendPosts(_ answers: Answers, _ requests: Requests, _ channel: any Channel) async throws {
    var answers = answers
    while let post = try await nextPost() {
      try await requests.write(
        contentsOf: target.request(body: plan.body(post), idempotencyKey: plan.idempotencyKey(post)))
      timeouts.begin(number, channel, untilNs: min(RunClock.nowNs + LoadLimits.responseTimeoutNs, schedule.endNs))
      let answer = try await PostConnection.read(&answers)
      timeouts.end(number)
      try await settle(post, answer)
      if !answer.head.isKeepAlive { return }
    }
  }

  /// Waits for the time of the claimed post, or of a new one; nil when there is none, or no time.
  private mutating func nextPost() async throws -> Int? {
    if claim == nil, let post = schedule.claim() {
      claim = Claim(post: post, waitedForConnection: RunClock.nowNs > schedule.dueNs(post))
    }
    guard let claim, !schedule.isOver else { return nil }
    if claim.attempts == 0 {
      let dueNs = schedule.dueNs(claim.post)
      try await RunClock.sleep(untilNs: dueNs)
      tally.send(lateNs: RunClock.nowNs - dueNs, waitedForConnection: claim.waitedForConnection)
    } else {
      tally.retry()
    }
    self.claim?.attempts += 1
    return claim.post
  }

  private mutating func settle(_ post: Int, _ answer: PostResponse) async throws {
    switch answer.outcome {
    case .accepted(let id):
      let nowNs = RunClock.nowNs
      // Counted from when the post was due, not from when it could be sent: the wait for a connection, and for a server
      // that had to be started again, is what a user would have waited.
      tally.accept(post, id: id, latencyNs: nowNs - schedule.dueNs(post), nowNs: nowNs)
      claim = nil
      pauseMs = LoadLimits.pauseMs.lowerBound
    case .refused(let kind):
      tally.refuse(kind)
      claim = nil
    case .retry(let kind):
      tally.fail(kind)
      try await pause()
    }
  }

  /// Random, so that the connections do not come back in the same instant; up to two seconds when it goes on.
  private mutating func pause() async throws {
    pauseMs = min(2 * pauseMs, LoadLimits.pauseMs.upperBound)
    let untilNs = RunClock.nowNs + Int64.random(in: LoadLimits.pauseMs.lowerBound...pauseMs) * 1_000_000
    try await RunClock.sleep(untilNs: min(untilNs, schedule.endNs))
  }

  private static func read(_ answers: inout Answers) async throws -> PostResponse {
    var head: HTTPResponseHead?
    var body = ByteBuffer()
    while let part = try await answers.next(isolation: #isolation) {
      switch part {
      // An informational one is followed by the true one.
      case .head(let next): head = next
      case .body(var bytes):
        guard let head, head.status.code >= 300, body.readableBytes + bytes.readableBytes <= LoadLimits.bodyBytesMax
        else { break }
        body.writeBuffer(&bytes)
      case .end: if let head { return PostResponse(head: head, body: body) }
      }
    }
    throw Closed()
  }

  private static func kind(of error: any Error) -> String {
    switch error {
    case is Closed: "closed before the answer"
    case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
    case is ChannelError: "closed while it was sent"
    default: "\(type(of: error))"
    }
  }
}
