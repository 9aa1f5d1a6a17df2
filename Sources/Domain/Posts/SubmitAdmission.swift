/// Admission of producers' requests, with limits for the unanswered requests of each connection and of all connections.
/// The account of a connection's token is cached, so that not every batch needs an authentication. Times are
/// milliseconds of a monotonic clock.
package struct SubmitAdmission: Sendable {
  /// Identity behind a token.
  package enum Identity: Sendable, Equatable {
    /// The token belongs to a session of this account.
    case account(AccountID)
    /// The token belongs to no session, or to an expired one.
    case unauthenticated
  }

  /// Decision about a request.
  package enum Decision: Sendable, Equatable {
    /// The request is admitted, and counts until `end`.
    case admit(AccountID)
    /// The request counts, and must wait for `learn`. The caller authenticates the token.
    case authenticate
    /// The request counts, and must wait for `learn`. An authentication of the token is already running.
    case wait
    /// The token belongs to no session. The request does not count.
    case unauthorized
    /// Too many requests are unanswered. The request does not count.
    case busy
  }

  private struct Producer: Sendable {
    var unanswered = 0
    /// Token of the latest request.
    var token: String?
    var identity: Identity?
    /// Time up to which the cached identity is valid. Without an identity, an authentication is running.
    var untilMs = Int64.min
  }

  private var producers: [[UInt8]: Producer] = [:]
  /// Number of unanswered requests of all connections.
  package private(set) var unanswered = 0

  package init() {}

  /// Number of remembered connections, at most `Limits.submitProducersMax`.
  package var producerCount: Int { producers.count }

  /// Admits or refuses a request.
  ///
  /// - Parameter peer: ZeroMQ's routing id of the connection.
  package mutating func begin(_ peer: [UInt8], token: String, nowMs: Int64) -> Decision {
    var producer = producers[peer] ?? Producer()
    if producer.token == token, producer.identity == .unauthenticated, nowMs < producer.untilMs { return .unauthorized }
    guard unanswered < Limits.submitRequestsMax, producer.unanswered < Limits.submitRequestsOfConnectionMax else {
      return .busy
    }
    if producers[peer] == nil, producers.count >= Limits.submitProducersMax {
      producers = producers.filter { $0.value.unanswered > 0 }
    }
    producer.unanswered += 1
    unanswered += 1
    defer { producers[peer] = producer }
    if producer.token == token {
      switch producer.identity {
      case .account(let account)? where nowMs < producer.untilMs: return .admit(account)
      case nil: return .wait
      default: break
      }
    }
    (producer.token, producer.identity) = (token, nil)
    return .authenticate
  }

  /// Records the identity of a token. The caller then decides the requests that wait for it.
  ///
  /// - Parameter identity: Nil if the authentication failed, and the identity is unknown.
  package mutating func recordIdentity(_ peer: [UInt8], token: String, identity: Identity?, nowMs: Int64) {
    // If the connection uses another token by now, that token has its own authentication.
    guard var producer = producers[peer], producer.token == token else { return }
    producer.identity = identity
    producer.untilMs = nowMs + Limits.submitTokenMs
    if identity == nil { producer.token = nil }
    producers[peer] = producer
  }

  /// Removes a request from the count, because it has its reply.
  package mutating func end(_ peer: [UInt8]) {
    guard let producer = producers[peer], producer.unanswered > 0 else { return }
    unanswered -= 1
    producers[peer]?.unanswered -= 1
  }
}
