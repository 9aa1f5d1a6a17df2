import Glibc
import NIOCore
import NIOHTTP1

/// A connection of a load test. It claims the next post, sends it when it is due, and retries it until the server
/// responds. After it breaks, it continues at the next server, as behind a load balancer.
///
/// The connection uses NIO's HTTP codec instead of `HTTPClient`. A client with a pool decides itself when a connection
/// opens and which request waits for one. That wait would count as the server's.
struct PostConnection {
  /// The server closed the connection, or a timeout did.
  private struct Closed: Error {}

  private struct Claim {
    let post: Int
    /// True if the request was late because no connection was free.
    let waitedForConnection: Bool
    var attempts = 0
  }

  private typealias Responses = NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
  private typealias Requests = NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>

  private let number: Int
  private let plan: LoadPlan
  private let targets: [PostTarget]
  private let schedule: Schedule
  private let timeouts: RequestTimeouts
  private let tally: Tally
  /// Index of the server in use.
  private var server: Int
  private var claim: Claim?
  private var pauseMs = LoadLimits.pauseMs.lowerBound

  init(
    _ number: Int, plan: LoadPlan, targets: [PostTarget], schedule: Schedule, timeouts: RequestTimeouts, tally: Tally
  ) {
    self.number = number
    server = number % targets.count
    self.plan = plan
    self.targets = targets
    self.schedule = schedule
    self.timeouts = timeouts
    self.tally = tally
  }

  /// Runs until every post has a response, or the time is over.
  mutating func run() async {
    while !schedule.isOver, !Task.isCancelled, claim != nil || !schedule.isExhausted {
      let channel: PostTarget.Connection
      do { channel = try await targets[server].connect() } catch {
        tally.fail("cannot connect")
        leaveServer()
        try? await pause()
        continue
      }
      do {
        try await channel.executeThenClose { responses, requests in
          try await sendPosts(responses.makeAsyncIterator(), requests, channel.channel)
        }
      } catch {
        timeouts.end(number)
        leaveServer()
        // The end of an idle connection fails no post.
        guard claim?.attempts ?? 0 > 0 else { continue }
        tally.fail(PostConnection.kind(of: error))
        try? await pause()
      }
    }
    if claim != nil { tally.recordUnanswered() }
  }

  private mutating func leaveServer() { server = (server + 1) % targets.count }

  /// Sends posts until none is left, or the connection is no longer usable.
  private mutating func sendPosts(_ responses: Responses, _ requests: Requests, _ channel: any Channel) async throws {
    var responses = responses
    while let post = try await nextPost(channel) {
      try await requests.write(
        contentsOf: targets[server].request(body: plan.body(post), idempotencyKey: plan.idempotencyKey(post)))
      timeouts.begin(number, channel, untilNs: min(RunClock.nowNs + LoadLimits.responseTimeoutNs, schedule.endNs))
      let response = try await PostConnection.read(&responses)
      timeouts.end(number)
      try await settle(post, response)
      if !response.head.isKeepAlive { return }
    }
  }

  /// Waits until the claimed post, or a new one, is due. Nil if there is none, or if the time is over.
  ///
  /// - Throws: `Closed` if the server has closed the idle connection, so that no request is sent on it.
  private mutating func nextPost(_ channel: any Channel) async throws -> Int? {
    if claim == nil, let post = schedule.claim() {
      claim = Claim(post: post, waitedForConnection: RunClock.nowNs > schedule.dueNs(post))
    }
    guard let claim, !schedule.isOver else { return nil }
    if claim.attempts == 0 {
      let dueNs = schedule.dueNs(claim.post)
      try await RunClock.sleep(untilNs: dueNs)
      guard channel.isActive else { throw Closed() }
      tally.send(lateNs: RunClock.nowNs - dueNs, waitedForConnection: claim.waitedForConnection)
    } else {
      tally.retry()
    }
    self.claim?.attempts += 1
    return claim.post
  }

  private mutating func settle(_ post: Int, _ response: PostResponse) async throws {
    switch response.outcome {
    case .accepted(let id):
      let nowNs = RunClock.nowNs
      // The latency starts at the due time, not at the send. A user would also wait for a connection, or for a server
      // that restarts.
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

  /// Pauses for a random time, so that connections do not retry in the same instant. The maximum doubles up to two
  /// seconds.
  private mutating func pause() async throws {
    pauseMs = min(2 * pauseMs, LoadLimits.pauseMs.upperBound)
    let untilNs = RunClock.nowNs + Int64.random(in: LoadLimits.pauseMs.lowerBound...pauseMs) * 1_000_000
    try await RunClock.sleep(untilNs: min(untilNs, schedule.endNs))
  }

  private static func read(_ responses: inout Responses) async throws -> PostResponse {
    var head: HTTPResponseHead?
    var body = ByteBuffer()
    while let part = try await responses.next(isolation: #isolation) {
      switch part {
      // The final response follows an informational one.
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
    case is Closed: "closed before the response"
    case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
    case is ChannelError: "closed while sending"
    default: "\(type(of: error))"
    }
  }
}
