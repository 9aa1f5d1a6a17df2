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
    var resent = 0
  }

  let ledger = Ledger()
  private let ports: [UInt16]
  private let token: String
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

  /// The number of attempts without a final response.
  var resent: Int { state.withLock { $0.resent } }

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
    var link = Link(gateway: index % ports.count)
    while let due = nextDue(), waitUntil(due) {
      let (number, sent) = ledger.next()
      send(number, sent, &link)
    }
    state.withLock { $0.running -= 1 }
  }

  /// The connection of one thread, and the gateway that it leads to.
  private struct Link {
    var gateway: Int
    var connection: BlockingConnection?
  }

  private func send(_ number: Int, _ sent: Ledger.Sent, _ link: inout Link) {
    let headers = ["Authorization": "Bearer \(token)", "Idempotency-Key": sent.key]
    let body = JSON.object(["place": sent.place, "link": sent.link])
    while !state.withLock(\.isAbandoned) {
      // A gateway holds a request for 15 s.
      link.connection = link.connection ?? BlockingConnection(port: ports[link.gateway], seconds: 30)
      let response = link.connection?.send("POST", "/v2/posts", headers: headers, body: body)
      switch response?.status {
      case 200?, 202?:
        guard let id = response?["id"] else { break }
        let answer = Answer(key: sent.key, id: id, time: .now)
        state.withLock { $0.answers.append(answer) }
        return ledger.accept(number, id: id)
      case let status? where status < 500:
        let text = "\(status) \(String(decoding: response?.body ?? [], as: UTF8.self))"
        state.withLock { $0.refusals.append(text) }
        return ledger.refuse(number)
      default: break
      }
      ledger.markUnknown(number)
      state.withLock { $0.resent += 1 }
      link = Link(gateway: (link.gateway + 1) % ports.count)
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
