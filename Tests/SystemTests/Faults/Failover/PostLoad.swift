import Foundation
import Glibc
import Synchronization

/// Posts at a steady rate through gateways, each with its own idempotency key. Any thread.
///
/// The times at which posts are due do not depend on responses, up to one open post per connection. A post without a
/// final response is resent under its key, through the next gateway, until it has one.
final class PostLoad: Sendable {
  /// A post with a 2xx response.
  struct Answer: Sendable {
    let key: String
    let id: String
    let time: ContinuousClock.Instant
  }

  private struct State {
    /// The number of posts whose times are assigned.
    var count = 0
    var running = 0
    /// True if no further post starts.
    var isEnding = false
    /// True if open posts end without a response too.
    var isAbandoned = false
    var answers: [Answer] = []
    var refusals: [String] = []
    var failures: [String: Int] = [:]
  }

  let ledger = Ledger()
  /// HTTP ports of the gateways.
  let ports: [UInt16]
  /// Token of the session that posts.
  let token: String
  private let pause: Duration
  private let begun = ContinuousClock.now
  private let state = Mutex(State())

  /// Starts the load.
  ///
  /// - Parameters:
  ///   - ports: HTTP ports of the gateways.
  ///   - token: Token of the session that posts.
  ///   - rate: Posts per second.
  init(ports: [UInt16], token: String, rate: Int, connections: Int) {
    (self.ports, self.token) = (ports, token)
    pause = .seconds(1) / rate
    state.withLock { $0.running = connections }
    for index in 0..<connections { Thread.detachNewThread { [self] in work(index) } }
  }

  /// All posts with a 2xx response so far, in the order of the responses.
  var answers: [Answer] { state.withLock { $0.answers } }

  /// Responses that a client must never get, such as 401, with their bodies.
  var refusals: [String] { state.withLock { $0.refusals } }

  /// The latest post with a 2xx response.
  var latestAnswer: Answer? { state.withLock { $0.answers.last } }

  /// The attempts without a final response, by kind: "503 ingest_unavailable", "no response", "cannot connect".
  var failures: [String: Int] { state.withLock { $0.failures } }

  /// The number of attempts without a final response.
  var resent: Int { failures.values.reduce(0, +) }

  /// The longest time between two successive 2xx responses.
  var longestGap: Duration { longestGap(since: begun) }

  /// The longest time between two successive 2xx responses, of which the second one came after a moment.
  func longestGap(since moment: ContinuousClock.Instant) -> Duration {
    let times = answers.map(\.time).sorted()
    return zip(times, times.dropFirst()).filter { $1 > moment }.map { $1 - $0 }.max() ?? .zero
  }

  /// Starts no further post, and waits until each open post has its response.
  func finish(within limit: Duration = .seconds(240)) async throws {
    state.withLock { $0.isEnding = true }
    try await eventually("every post has a response", within: limit) { state.withLock { $0.running == 0 } }
  }

  /// Ends the load without further responses. The threads end with their connections.
  func abandon() { state.withLock { ($0.isEnding, $0.isAbandoned) = (true, true) } }

  /// Sends posts over one connection.
  private func work(_ index: Int) {
    var connection = GatewayConnection(ports: ports, number: index)
    while let due = nextDue(), waitUntil(due) {
      let (number, sent) = ledger.next()
      send(number, sent, &connection)
    }
    state.withLock { $0.running -= 1 }
  }

  private func send(_ number: Int, _ sent: Ledger.Sent, _ connection: inout GatewayConnection) {
    let headers = ["Authorization": "Bearer \(token)", "Idempotency-Key": sent.key]
    let body = JSON.object(["place": sent.place, "link": sent.link])
    while !state.withLock(\.isAbandoned) {
      let kind: String
      switch connection.send("POST", "/v2/posts", headers: headers, body: body) {
      case .success(let response):
        guard [200, 202].contains(response.status) else {
          let text = "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
          state.withLock { $0.refusals.append(text) }
          return ledger.refuse(number)
        }
        if let id = response["id"] {
          let answer = Answer(key: sent.key, id: id, time: .now)
          state.withLock { $0.answers.append(answer) }
          return ledger.accept(number, id: id)
        }
        kind = "\(response.status) without an id"
      case .failure(let failure): kind = failure.kind
      }
      ledger.markUnknown(number)
      state.withLock { $0.failures[kind, default: 0] += 1 }
      poll(nil, 0, Int32.random(in: 20...200))
    }
  }

  /// Returns the time at which the next post is due. Nil at the end.
  private func nextDue() -> ContinuousClock.Instant? {
    state.withLock { state in
      guard !state.isEnding else { return nil }
      state.count += 1
      return begun + pause * state.count
    }
  }

  /// Returns at this time. Returns false at the end of the load.
  private func waitUntil(_ due: ContinuousClock.Instant) -> Bool {
    while true {
      guard !state.withLock(\.isEnding) else { return false }
      let rest = due - .now
      guard rest > .zero else { return true }
      poll(nil, 0, Int32(min(rest, .milliseconds(50)) / .milliseconds(1)) + 1)
    }
  }
}
