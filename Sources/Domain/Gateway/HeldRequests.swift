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
    /// Ingest was not available for `Limits.gatewayHoldMs`, or the gateway shuts down. Ingest has not executed the
    /// request.
    case unavailable
    /// The request lost its connection, and ingest may have executed it. It is not repeatable, ingest was not available
    /// for `Limits.gatewayHoldMs` since then, the gateway shuts down, or it was the loss number
    /// `Limits.gatewayLossesMax`.
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
    /// Ask ingest to reply to a request without waiting for an outcome or a place.
    case endWait(ID)
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
    /// Number of connections that were lost while the request was sent.
    var losses = 0

    /// The failure that says whether ingest may have executed the request.
    var failure: Failure { losses > 0 ? .unknownOutcome : .unavailable }
  }

  private var requests: [ID: Request] = [:]
  /// Requests that wait for their send, oldest first.
  private var waiting: [ID] = []
  /// The connection of the last Welcome. Nil before the first one, and after a reconnect.
  package private(set) var connection: Connection?
  /// True if ingest executes requests on the connection.
  package private(set) var isAvailable = false
  /// Time until which a busy ingest gets no request. Nil if it is not busy.
  private var busyUntilMs: Int64?
  /// The one request that a busy ingest gets after the pause.
  private var probe: ID?
  private var busyPauseMs = Limits.gatewayRetryMs
  /// True after `endWaits`.
  private var endsWaits = false
  private var receivedMs: Int64
  private var helloDueMs: Int64

  package init(nowMs: Int64) {
    receivedMs = nowMs
    helloDueMs = nowMs
  }

  /// True if a request may wait for a connection.
  package var holds: Bool { isAvailable || !endsWaits }

  /// Number of requests without a reply.
  package var count: Int { requests.count }

  /// Adds a request. It is due immediately.
  ///
  /// - Parameters:
  ///   - isRepeatable: True if ingest may execute the request twice with the same effect as once.
  ///   - sinceMs: Time since which the request waits. Nil for now.
  package mutating func add(_ id: ID, isRepeatable: Bool, sinceMs: Int64? = nil, nowMs: Int64) {
    requests[id] = Request(isRepeatable: isRepeatable, waitingSinceMs: sinceMs ?? nowMs, dueMs: nowMs)
    waiting.append(id)
  }

  /// Removes a request whose client has disconnected.
  package mutating func cancel(_ id: ID) -> [Effect] {
    guard let request = requests.removeValue(forKey: id) else { return [] }
    if probe == id { probe = nil }
    return request.dueMs == nil && isAvailable ? [.cancel(id)] : []
  }

  /// Ends all waits, because the gateway shuts down. From now on, requests that cannot be sent fail immediately.
  package mutating func endWaits() -> [Effect] {
    endsWaits = true
    guard isAvailable else { return [] }
    return requests.filter { $0.value.dueMs == nil }.keys.sorted().map { .endWait($0) }
  }

  /// Records that a request could not be sent. It is due again after a pause.
  package mutating func recordUnsent(_ id: ID, nowMs: Int64) {
    if probe == id { probe = nil }
    wait(id, untilMs: nowMs + Limits.gatewayRetryMs)
  }

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
    endBusy()
    return requests.removeValue(forKey: id) != nil
  }

  /// Records that ingest did not execute a request, or that it is shutting down and so sends no Welcome.
  ///
  /// - Parameter named: The connection that the request named. If it is an earlier one, the request was sent again
  ///   after the later Welcome, and this refusal concerns only its first copy.
  package mutating func refuse(
    _ id: ID, _ refusal: Refusal, on named: Connection, nowMs: Int64
  ) -> [Effect] {
    receivedMs = nowMs
    // Only Hello has the number 0, and names no connection.
    if id == 0, refusal == .shutdown { return becomeUnavailable() }
    guard requests[id] != nil, named == connection else { return [] }
    wait(id, untilMs: nowMs + (refusal == .shutdown ? Limits.gatewayRetryMs : 0))
    guard refusal != .busy else {
      becomeBusy(after: id, nowMs: nowMs)
      return []
    }
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
        effects.append(.fail(id, request.failure))
      } else if isAvailable, dueMs <= nowMs, mayReachBusy(nowMs: nowMs) {
        if busyUntilMs != nil { probe = id }
        requests[id]?.dueMs = nil
        effects.append(.send(id))
        if endsWaits { effects.append(.endWait(id)) }
      } else if endsWaits {
        requests[id] = nil
        effects.append(.fail(id, request.failure))
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
      nextMs = min(nextMs, isAvailable && probe == nil ? min(max(dueMs, busyUntilMs ?? dueMs), holdMs) : holdMs)
    }
    return max(nowMs, nextMs)
  }

  /// Sends nothing to a busy ingest for a pause, which doubles with each refused probe up to
  /// `Limits.gatewayBusyPauseMaxMs`. The refusals of the requests that were sent before count once.
  private mutating func becomeBusy(after id: ID, nowMs: Int64) {
    guard busyUntilMs == nil || probe == id else { return }
    probe = nil
    busyUntilMs = nowMs + busyPauseMs
    busyPauseMs = min(2 * busyPauseMs, Limits.gatewayBusyPauseMaxMs)
  }

  private mutating func endBusy() {
    (busyUntilMs, probe, busyPauseMs) = (nil, nil, Limits.gatewayRetryMs)
  }

  /// Returns true if a request may be sent: ingest is not busy, or the pause is over and no other request probes it.
  private func mayReachBusy(nowMs: Int64) -> Bool {
    busyUntilMs.map { $0 <= nowMs && probe == nil } ?? true
  }

  private mutating func becomeUnavailable() -> [Effect] {
    guard isAvailable else { return [] }
    isAvailable = false
    return [.turnedAvailable(false)]
  }

  /// Processes the loss of the connection: repeats or ends the requests that are without a reply.
  private mutating func lose(nowMs: Int64) -> [Effect] {
    endBusy()
    var failed: [Effect] = []
    for id in requests.filter({ $0.value.dueMs == nil }).keys.sorted() {
      guard var request = requests[id] else { continue }
      request.losses += 1
      // A request that ends ingest each time must not do so for ever.
      guard request.isRepeatable, request.losses < Limits.gatewayLossesMax else {
        requests[id] = nil
        failed.append(.fail(id, request.failure))
        continue
      }
      request.waitingSinceMs = nowMs
      requests[id] = request
      wait(id, untilMs: nowMs)
    }
    return failed
  }

  private mutating func wait(_ id: ID, untilMs: Int64) {
    guard requests[id] != nil else { return }
    requests[id]?.dueMs = untilMs
    waiting.append(id)
  }
}
