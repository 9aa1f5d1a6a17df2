/// A gateway's requests to ingest, held from their acceptance to their reply. A pure state machine: the caller supplies
/// the time, in milliseconds of a monotonic clock, and performs the effects.
///
/// A request names the connection on which it is sent. Ingest executes it only if the name is right. If a later Welcome
/// names another connection, the requests on the earlier one got no reply, and ingest may or may not have executed
/// them. The gateway then resends each repeatable request, and ends the others with `Failure.unknownOutcome`.
package struct HeldRequests: Sendable {
  /// The gateway's number for a request.
  package typealias ID = UInt64

  /// Name that ingest gave to a connection to one of its runs.
  package typealias Connection = [UInt8]

  /// The end of a request without a reply.
  package enum Failure: Sendable, Equatable {
    /// Ingest was not available for `Limits.gatewayHoldMs`, and has not executed the request, or it is repeatable.
    case unavailable
    /// Ingest may have executed the request, which is not repeatable.
    case unknownOutcome
  }

  /// Reason of ingest for not executing a request.
  package enum Refusal: Sendable, Equatable {
    case staleConnection, shutdown, busy
  }

  /// An action for the caller.
  package enum Effect: Sendable, Equatable {
    /// Send a request on the current connection. Then call `recordUnsent` if that failed.
    case send(ID)
    /// Ask ingest for a Welcome.
    case hello
    /// Drop the connection, and connect again, to the next address if there are several.
    case reconnect
    /// Tell ingest that the client of a request has disconnected.
    case cancel(ID)
    case fail(ID, Failure)
    /// Ingest has become available or unavailable.
    case turnedAvailable(Bool)
  }

  private struct Request {
    let isRepeatable: Bool
    /// Time since which the request waits for a connection, or for its repetition.
    var waitingSinceMs: Int64
    /// Time of the next send. Nil while the request is sent and has no reply.
    var dueMs: Int64?
  }

  private var requests: [ID: Request] = [:]
  /// Requests that wait for their send, oldest first.
  private var waiting: [ID] = []
  /// The connection of the last Welcome. Nil before the first one, and after a reconnect.
  package private(set) var connection: Connection?
  /// True if ingest executes requests on the connection.
  package private(set) var isAvailable = false
  private var receivedMs: Int64
  private var helloDueMs: Int64

  package init(nowMs: Int64) {
    receivedMs = nowMs
    helloDueMs = nowMs
  }

  /// Number of requests without a reply.
  package var count: Int { requests.count }

  /// Adds a request. It is due immediately.
  ///
  /// - Parameter isRepeatable: True if ingest may execute the request twice with the same effect as once.
  package mutating func add(_ id: ID, isRepeatable: Bool, nowMs: Int64) {
    requests[id] = Request(isRepeatable: isRepeatable, waitingSinceMs: nowMs, dueMs: nowMs)
    waiting.append(id)
  }

  /// Removes a request whose client has disconnected.
  package mutating func cancel(_ id: ID) -> [Effect] {
    guard let request = requests.removeValue(forKey: id) else { return [] }
    return request.dueMs == nil && isAvailable ? [.cancel(id)] : []
  }

  /// Records that a request could not be sent. It is due again after a pause.
  package mutating func recordUnsent(_ id: ID, nowMs: Int64) { wait(id, untilMs: nowMs + Limits.gatewayRetryMs) }

  /// Records a Welcome.
  package mutating func welcome(_ welcome: Connection, nowMs: Int64) -> [Effect] {
    receivedMs = nowMs
    var effects = welcome == connection ? [] : lose(nowMs: nowMs)
    connection = welcome
    if !isAvailable { effects.append(.turnedAvailable(true)) }
    isAvailable = true
    return effects
  }

  /// Records the reply to a request. Returns false for a reply that is too late, or that came twice.
  package mutating func complete(_ id: ID, nowMs: Int64) -> Bool {
    receivedMs = nowMs
    return requests.removeValue(forKey: id) != nil
  }

  /// Records that ingest did not execute a request.
  ///
  /// - Parameter named: The connection that the request named. If it is an earlier one, the request was sent again
  ///   after the later Welcome, and this refusal concerns only its first copy.
  package mutating func refuse(
    _ id: ID, _ refusal: Refusal, on named: Connection, nowMs: Int64
  ) -> [Effect] {
    receivedMs = nowMs
    guard requests[id] != nil, named == connection else { return [] }
    wait(id, untilMs: nowMs + (refusal == .staleConnection ? 0 : Limits.gatewayRetryMs))
    guard refusal != .busy else { return [] }
    // Ask for the connection's name. An ingest that is shutting down sends none, but replies to its open requests.
    helloDueMs = refusal == .shutdown ? nowMs + Limits.gatewayRetryMs : nowMs
    return becomeUnavailable()
  }

  /// Returns the work that is due.
  package mutating func tick(nowMs: Int64) -> [Effect] {
    var effects: [Effect] = []
    if nowMs - receivedMs >= Limits.gatewaySilenceMs {
      receivedMs = nowMs
      helloDueMs = nowMs
      connection = nil
      effects += becomeUnavailable() + lose(nowMs: nowMs) + [.reconnect]
    }
    if nowMs >= helloDueMs {
      helloDueMs = nowMs + Limits.gatewayHelloMs
      effects.append(.hello)
    }
    guard !waiting.isEmpty else { return effects }
    let due = waiting
    waiting = []
    for id in due {
      guard let request = requests[id], let dueMs = request.dueMs else { continue }
      if nowMs - request.waitingSinceMs >= Limits.gatewayHoldMs {
        requests[id] = nil
        effects.append(.fail(id, .unavailable))
      } else if isAvailable, dueMs <= nowMs {
        requests[id]?.dueMs = nil
        effects.append(.send(id))
      } else {
        waiting.append(id)
      }
    }
    return effects
  }

  /// Returns the time of the next `tick`, in milliseconds.
  package func nextMs(nowMs: Int64) -> Int64 {
    var nextMs = min(helloDueMs, receivedMs + Limits.gatewaySilenceMs)
    for id in waiting {
      guard let request = requests[id], let dueMs = request.dueMs else { continue }
      let holdMs = request.waitingSinceMs + Limits.gatewayHoldMs
      nextMs = min(nextMs, isAvailable ? min(dueMs, holdMs) : holdMs)
    }
    return max(nowMs, nextMs)
  }

  private mutating func becomeUnavailable() -> [Effect] {
    guard isAvailable else { return [] }
    isAvailable = false
    return [.turnedAvailable(false)]
  }

  /// Processes the loss of the connection: repeats or ends the requests that are without a reply.
  private mutating func lose(nowMs: Int64) -> [Effect] {
    var failed: [ID] = []
    for id in requests.filter({ $0.value.dueMs == nil }).keys.sorted() {
      guard requests[id]?.isRepeatable == true else {
        requests[id] = nil
        failed.append(id)
        continue
      }
      requests[id]?.waitingSinceMs = nowMs
      wait(id, untilMs: nowMs)
    }
    return failed.map { .fail($0, .unknownOutcome) }
  }

  private mutating func wait(_ id: ID, untilMs: Int64) {
    guard requests[id] != nil else { return }
    requests[id]?.dueMs = untilMs
    waiting.append(id)
  }
}
