/// Which requests of producers are taken in, and on whose account: so many of one connection and of all wait for their
/// answer at once, and a connection's token is looked up once in a while, not with every batch. Times are milliseconds
/// of a clock that never goes back.
package struct SubmitAdmission: Sendable {
  /// What a token turned out to be.
  package enum Identity: Sendable, Equatable {
    /// A session of this account.
    case account(AccountID)
    /// No session, or one that is over.
    case unauthenticated
  }

  /// What is to be done with a request.
  package enum Decision: Sendable, Equatable {
    /// It is taken: it counts until `end`.
    case admit(AccountID)
    /// Taken too, and to be held until `learn`; the token is to be looked up.
    case authenticate
    /// Taken too, and to be held until `learn`: somebody looks already.
    case wait
    /// Its token is no session's. Not counted.
    case unauthorized
    /// Too many wait. Not counted.
    case busy
  }

  private struct Producer: Sendable {
    var unanswered = 0
    /// The token that was used last.
    var token: String?
    var identity: Identity?
    /// Until when the identity is taken for true; while there is none, a look-up is under way.
    var untilMs = Int64.min
  }

  private var producers: [[UInt8]: Producer] = [:]
  /// Requests that wait for their answer, of all connections.
  package private(set) var unanswered = 0

  package init() {}

  /// Connections of which something is remembered, `Limits.submitProducersMax` at most.
  package var producerCount: Int { producers.count }

  /// A request has come.
  ///
  /// - Parameter peer: its connection.
  package mutating func begin(_ peer: [UInt8], token: String, nowMs: Int64) -> Decision {
    var producer = producers[peer] ?? Producer()
    if producer.token == token, producer.identity == .unauthenticated, nowMs < producer.untilMs { return .unauthorized }
    guard unanswered < Limits.submitRequestsMax, producer.unanswered < Limits.submitUnansweredMax else { return .busy }
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

  /// A token that was asked for is known; those who wait for it are to be judged by it. Nil when the look-up failed,
  /// and nothing is known.
  package mutating func learn(_ peer: [UInt8], token: String, identity: Identity?, nowMs: Int64) {
    // Another token is in use on the connection by now: that one has its own look-up.
    guard var producer = producers[peer], producer.token == token else { return }
    producer.identity = identity
    producer.untilMs = nowMs + Limits.submitTokenMs
    if identity == nil { producer.token = nil }
    producers[peer] = producer
  }

  /// A request that was taken is answered, or refused after all.
  package mutating func end(_ peer: [UInt8]) {
    guard let producer = producers[peer], producer.unanswered > 0 else { return }
    unanswered -= 1
    producers[peer]?.unanswered -= 1
  }
}
