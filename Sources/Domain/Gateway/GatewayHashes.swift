/// Password hashes that gateways compute for ingest. A pure state machine: the caller supplies the time, in
/// milliseconds of a monotonic clock.
///
/// A gateway announces with each Hello how many hashes it computes at a time. The announcement expires after
/// `Limits.gatewaySilenceMs`. A gateway without one gets no hash.
package struct GatewayHashes: Sendable {
  /// The end of a hash without a result.
  package enum Failure: Error, Sendable, Equatable {
    /// The gateway does not compute the hash, or not in time. Ingest computes it.
    case notComputed
    /// The gateway has disconnected, or was silent for `Limits.gatewaySilenceMs`. It repeats its request on its next
    /// connection if the request is repeatable.
    case gone
  }

  private struct Gateway {
    let parallelMax: Int
    var heardMs: Int64
    /// Time until which the gateway gets no hash, because it was late.
    var pausedUntilMs = Int64.min
    /// Number of its open hashes.
    var count = 0
  }

  private struct Hash {
    let peer: [UInt8]
    let deadlineMs: Int64
  }

  /// Gateways by the routing id of their connection.
  private var gateways: [[UInt8]: Gateway] = [:]
  private var open: [UInt64: Hash] = [:]
  private var lastNumber: UInt64 = 0
  /// Lower bound of all deadlines: the time of the next `expire`, in milliseconds.
  package private(set) var dueMs = Int64.max

  package init() {}

  /// Records a Hello.
  ///
  /// - Parameter parallelMax: Number of hashes that the gateway computes at a time, 0 for none.
  package mutating func announce(_ parallelMax: Int, by peer: [UInt8], nowMs: Int64) {
    let parallelMax = min(parallelMax, Limits.concurrentPasswordHashesMax)
    guard gateways[peer] == nil else {
      gateways[peer]?.heardMs = nowMs
      return
    }
    guard parallelMax > 0, gateways.count < Limits.gatewaysHashingMax else { return }
    gateways[peer] = Gateway(parallelMax: parallelMax, heardMs: nowMs)
    dueMs = min(dueMs, nowMs + Limits.gatewaySilenceMs)
  }

  /// Returns the number of hashes that a gateway computes at a time. 0 if ingest computes the hashes of its requests.
  package func parallelMax(of peer: [UInt8], nowMs: Int64) -> Int {
    guard let gateway = gateways[peer], gateway.pausedUntilMs <= nowMs else { return 0 }
    return gateway.parallelMax
  }

  /// Begins a hash at a gateway, and returns its number. No number is given twice.
  package mutating func begin(at peer: [UInt8], nowMs: Int64) -> Result<UInt64, Failure> {
    guard let gateway = gateways[peer] else { return .failure(.gone) }
    guard gateway.pausedUntilMs <= nowMs, gateway.count < gateway.parallelMax else { return .failure(.notComputed) }
    lastNumber += 1
    gateways[peer]?.count += 1
    open[lastNumber] = Hash(peer: peer, deadlineMs: nowMs + Limits.gatewayHashMs)
    dueMs = min(dueMs, nowMs + Limits.gatewayHashMs)
    return .success(lastNumber)
  }

  /// Ends a hash. Returns false if the gateway has no open hash with this number.
  package mutating func end(_ number: UInt64, from peer: [UInt8]) -> Bool {
    guard open[number]?.peer == peer else { return false }
    remove(number)
    return true
  }

  /// Returns true if a hash of this number has begun. It may have ended.
  package func hasBegun(_ number: UInt64) -> Bool { number > 0 && number <= lastNumber }

  /// Ends the hashes of the gateways that have disconnected, and the late hashes. A gateway with a late hash gets no
  /// hash for `Limits.gatewayHashPauseMs`.
  ///
  /// - Returns: the numbers of these hashes in ascending order, each with its failure.
  package mutating func expire(nowMs: Int64) -> [(number: UInt64, failure: Failure)] {
    // The deadline moves with each Hello. Scan only if one may have passed.
    guard nowMs >= dueMs else { return [] }
    let silent = gateways.filter { nowMs - $0.value.heardMs >= Limits.gatewaySilenceMs }
    for peer in silent.keys { gateways[peer] = nil }
    var ended: [(number: UInt64, failure: Failure)] = []
    for (number, hash) in open.sorted(by: { $0.key < $1.key }) {
      if silent[hash.peer] != nil {
        ended.append((number, .gone))
      } else if hash.deadlineMs <= nowMs {
        gateways[hash.peer]?.pausedUntilMs = nowMs + Limits.gatewayHashPauseMs
        ended.append((number, .notComputed))
      }
    }
    for (number, _) in ended { remove(number) }
    dueMs = min(
      gateways.values.map { $0.heardMs + Limits.gatewaySilenceMs }.min() ?? .max,
      open.values.map(\.deadlineMs).min() ?? .max)
    return ended
  }

  private mutating func remove(_ number: UInt64) {
    guard let hash = open.removeValue(forKey: number) else { return }
    gateways[hash.peer]?.count -= 1
  }
}
