import Domain
import Logging
import Messaging
import Synchronization

/// A closed loop of posts over a gateway's link. It has the link of a gateway, but no HTTP, so that ingest is the
/// bottleneck as behind many gateways.
final class GatewayLoad: Sendable {
  private struct State {
    var sent = 0
    var open = 0
    var accepted = 0
    var isOver = false
    var failure: String?
  }

  private let commands: CommandQueue<GatewayClient.Command>
  private let tokens: [String]
  private let end: ContinuousClock.Instant
  private let state = Mutex(State())

  private init(_ commands: CommandQueue<GatewayClient.Command>, tokens: [String], end: ContinuousClock.Instant) {
    self.commands = commands
    self.tokens = tokens
    self.end = end
  }

  /// Keeps `open` posts in flight until `end`. Returns the number of accepted posts.
  ///
  /// - Parameter tokens: Session tokens of the authors, in turn.
  static func run(
    to address: String, tokens: [String], open: Int, until end: ContinuousClock.Instant
  ) async throws -> Int {
    var logger = Logger(label: "bench")
    logger.logLevel = .critical
    let quiet = logger
    let endpoint = try Endpoint(address)
    let wake = WakeupEvent()
    let commands = CommandQueue<GatewayClient.Command>(wake)
    let (reactor, _) = try Reactor.start("gateway", wake: wake) { context in
      let client = try GatewayClient(
        context, connect: [endpoint], gateway: "bench", commands: commands, logger: quiet, welcomed: { _, _ in },
        turnedAvailable: { _ in })
      return ([client], ())
    }
    defer { reactor.stop() }
    let load = GatewayLoad(commands, tokens: tokens, end: end)
    for _ in 0..<open { load.send() }
    while load.state.withLock({ $0.open > 0 }) { try await Task.sleep(for: .milliseconds(2)) }
    let state = load.state.withLock { $0 }
    if let failure = state.failure { throw BenchError("a post was refused: \(failure)") }
    return state.accepted
  }

  private func send() {
    let number = state.withLock { state in
      state.sent += 1
      state.open += 1
      return state.sent
    }
    let post = SubmittedPost(
      idempotencyKey: "bench-\(number)", place: "Seattle, WA", link: "https://example.org/me")
    commands.enqueue(.post(SessionPost(token: tokens[number % tokens.count], post: post)) { self.receive($0) })
  }

  private func receive(_ result: Result<SessionPostResult, GatewayClient.Failure>) {
    let isOver = state.withLock { state in
      state.open -= 1
      switch result {
      case .success(.accepted): state.accepted += 1
      // The backlog is full: measure the accepted posts.
      case .success(.refused(let refusal)) where refusal.retryAfterSeconds != nil: state.isOver = true
      case .success(.refused(let refusal)): state.failure = refusal.refusal.code
      case .failure(let failure): state.failure = "\(failure)"
      }
      state.isOver = state.isOver || ContinuousClock.now >= end
      return state.isOver
    }
    if !isOver { send() }
  }
}
