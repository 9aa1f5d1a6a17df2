/// Reason for the change of a client's address. The raw value is its name in logs and metrics.
package enum AddressChangeReason: String, Sendable, CaseIterable {
  /// The service was silent for the liveness timeout of its link.
  case silent
  /// No handshake within `Limits.addressHandshakeMs`.
  case unreachable
  /// The service refused the client, or sent something unusable.
  case refused
  /// Another ingest serves.
  case notLeading = "not_leading"
  /// The service is an earlier start of ingest than one that the client has seen.
  case lowerGeneration = "lower_generation"
  /// The service has said goodbye.
  case goodbye
}

/// The addresses of a service, of which a client uses one at a time.
///
/// A client stays at an address while the service answers there, also when an earlier address of the list returns. It
/// leaves an address that is silent, unreachable, or that refuses. A random pause precedes each new connection, so that
/// a thousand clients do not connect at the same moment. The range of the pause doubles with each round in which no
/// address answers.
///
/// A pure state machine without sockets or clock. Times are milliseconds of a monotonic clock. With one address the
/// machine never changes anything: the client reconnects by the rules of its link.
package struct AddressRotation<Address: Hashable & Sendable>: Sendable {
  /// An action for the shell.
  package enum Step: Sendable, Equatable {
    /// Close the connection to the address, and send nothing until `connect`.
    case left(Address, AddressChangeReason)
    /// Open a new connection to the current address.
    case connect
  }

  /// All addresses. The first is in use. The others follow in the order in which to try them.
  package private(set) var addresses: [Address]
  /// End of the pause before the connection to the current address. Nil after the pause.
  package private(set) var pausedUntilMs: Int64?
  private let configured: [Address]
  /// Earliest time of a connection to an address that refused the client.
  private var earliestMs: [Address: Int64] = [:]
  /// Number of addresses left since the last answer.
  private var leftCount = 0
  /// True once the service at the current address has answered.
  private var isAnswered = false
  /// Time of the first message that the connection accepted, while an answer is due.
  private var reachedMs: Int64?
  /// Time of the first message in a row that found no connection, while an answer is due.
  private var unreachableMs: Int64?

  /// - Parameters:
  ///   - addresses: At least one address, without repetition.
  ///   - index: Index of the first address to use. A random index spreads many clients over equal services.
  package init(_ addresses: [Address], startingAt index: Int = 0) {
    precondition(addresses.indices.contains(index), "The index belongs to an address.")
    configured = addresses
    self.addresses = Array(addresses[index...] + addresses[..<index])
  }

  /// The address in use, or the next one during a pause.
  package var current: Address { addresses[0] }
  /// True if there is another address.
  package var hasOthers: Bool { addresses.count > 1 }

  /// Records a message which shows that the service at the current address serves this client.
  package mutating func answered() {
    (isAnswered, leftCount, reachedMs, unreachableMs) = (true, 0, nil, nil)
    earliestMs[current] = nil
  }

  /// Records that the client expects a new answer, because its session is over.
  package mutating func awaitAnswer() { isAnswered = false }

  /// Records the result of a send.
  ///
  /// - Parameter isAccepted: False if there is no connection.
  package mutating func sent(isAccepted: Bool, nowMs: Int64) {
    guard !isAnswered, pausedUntilMs == nil else { return }
    unreachableMs = isAccepted ? nil : unreachableMs ?? nowMs
    if isAccepted { reachedMs = reachedMs ?? nowMs }
  }

  /// Tries other addresses before the configured ones, from the next change on.
  package mutating func prefer(_ others: [Address]) {
    addresses = [current]
    for address in others + configured where !addresses.contains(address) { addresses.append(address) }
    earliestMs = earliestMs.filter { addresses.contains($0.key) }
  }

  /// Leaves the current address, if there is another one. `tick` then returns `connect` after the pause.
  ///
  /// - Parameters:
  ///   - retryAfterMs: Time for which the service does not want this client. With `notLeading`, at most
  ///     `Limits.notLeadingPauseMaxMs` counts.
  ///   - isUrgent: True for no pause, unless no address has answered in the last round.
  ///   - random: Source of the pause.
  /// - Returns: the step, or nil without another address.
  package mutating func leave(
    _ reason: AddressChangeReason, retryAfterMs: Int64 = 0, isUrgent: Bool = false, nowMs: Int64,
    using random: inout some RandomNumberGenerator
  ) -> Step? {
    guard hasOthers, pausedUntilMs == nil else { return nil }
    let address = current
    let refusalMs = reason == .notLeading ? min(retryAfterMs, Limits.notLeadingPauseMaxMs) : retryAfterMs
    if refusalMs > 0 { earliestMs[address] = nowMs + refusalMs }
    let rounds = leftCount / addresses.count
    leftCount += 1
    selectNext(nowMs: nowMs)
    let rangeMs = min(Limits.addressPauseMs << min(rounds, 8), Limits.addressPauseCapMs)
    let pauseMs = isUrgent && rounds == 0 ? 0 : Int64.random(in: 0..<rangeMs, using: &random)
    pausedUntilMs = max(nowMs, earliestMs[current] ?? nowMs) + pauseMs
    (isAnswered, reachedMs, unreachableMs) = (false, nil, nil)
    return .left(address, reason)
  }

  /// Returns the step that is due: a connection after the pause, or the change of an address that does not answer.
  package mutating func tick(nowMs: Int64, using random: inout some RandomNumberGenerator) -> Step? {
    if let pausedUntilMs {
      guard nowMs >= pausedUntilMs else { return nil }
      self.pausedUntilMs = nil
      return .connect
    }
    if let unreachableMs, nowMs - unreachableMs >= Limits.addressHandshakeMs {
      return leave(.unreachable, nowMs: nowMs, using: &random)
    }
    if let reachedMs, nowMs - reachedMs >= Limits.livenessMs { return leave(.silent, nowMs: nowMs, using: &random) }
    return nil
  }

  /// Time of the next step. `Int64.max` if none is due.
  package var nextMs: Int64 {
    if let pausedUntilMs { return pausedUntilMs }
    guard hasOthers else { return .max }
    return min(
      unreachableMs.map { $0 + Limits.addressHandshakeMs } ?? .max, reachedMs.map { $0 + Limits.livenessMs } ?? .max)
  }

  /// Makes the next address the current one. Skips addresses that do not want this client yet, unless all refuse.
  private mutating func selectNext(nowMs: Int64) {
    addresses.append(addresses.removeFirst())
    let waitsMs = addresses.map { max(0, (earliestMs[$0] ?? nowMs) - nowMs) }
    let next = addresses.indices.min { waitsMs[$0] < waitsMs[$1] } ?? 0
    addresses = Array(addresses[next...] + addresses[..<next])
  }
}
