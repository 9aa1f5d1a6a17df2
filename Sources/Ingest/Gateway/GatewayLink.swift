import Domain
import HTTPTypes
import Messaging
import Synchronization
import Web

/// A gateway's requests to ingest, for its routes. Any thread.
struct GatewayLink: Sendable {
  private let commands: CommandQueue<GatewayClient.Command>
  private let numbers = SequenceOfNumbers()

  init(_ commands: CommandQueue<GatewayClient.Command>) { self.commands = commands }

  /// Submits a post. An accepted post is durable on return.
  ///
  /// - Parameter clientMayRepeat: True if the client gave the idempotency key. Its repeat then stores no second post.
  /// - Throws: `Problem` if ingest was not available in time.
  func submit(_ post: SessionPost, clientMayRepeat: Bool) async throws -> SessionPostResult {
    try await withCheckedContinuation { continuation in
      commands.enqueue(.post(post) { continuation.resume(returning: $0) })
    }.mapError { Problem($0, clientMayRepeat: clientMayRepeat) }.get()
  }

  /// Forwards a request to ingest's own routes.
  ///
  /// - Parameters:
  ///   - isRepeatable: True if the routes may execute the request twice with the same effect as once.
  ///   - clientMayRepeat: True if they may also execute the client's repeat.
  ///   - onDisconnect: Calls its argument when the client disconnects.
  /// - Throws: `Problem` if ingest was not available in time.
  func forward(
    _ request: ForwardedRequest, isRepeatable: Bool, clientMayRepeat: Bool,
    onDisconnect: (@escaping @Sendable () -> Void) -> Void
  ) async throws -> ForwardedResponse {
    let number = numbers.next()
    onDisconnect { [commands] in commands.enqueue(.cancel(number)) }
    return try await withCheckedContinuation { continuation in
      commands.enqueue(
        .request(number, request, isRepeatable: isRepeatable) { continuation.resume(returning: $0) })
    }.mapError { Problem($0, clientMayRepeat: clientMayRepeat) }.get()
  }
}

/// Rising numbers, each given once. Any thread.
private final class SequenceOfNumbers: Sendable {
  private let last = Atomic<UInt64>(0)

  func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}

extension Problem {
  /// The error of a request without a reply.
  ///
  /// - Parameter clientMayRepeat: True if ingest may execute the client's repeat too. The client then does not need to
  ///   know whether it has executed the request.
  init(_ failure: GatewayClient.Failure, clientMayRepeat: Bool) {
    switch failure {
    case .unavailable,
      .unknownOutcome where clientMayRepeat:
      self.init(
        .serviceUnavailable, "ingest_unavailable",
        "the server is not available; send the request again later, and a post with the same Idempotency-Key",
        retryAfterSeconds: Limits.retryRestartSeconds)
    case .unknownOutcome, .cancelled:
      self.init(
        .serviceUnavailable, "outcome_unknown",
        "the server was away, and the request may or may not be executed; check its effect before you send it again")
    case .busy: self = .busy
    case .refused(let detail):
      self.init(
        .internalServerError, "internal_error", "the gateway and ingest do not understand each other: \(detail)")
    }
  }
}
