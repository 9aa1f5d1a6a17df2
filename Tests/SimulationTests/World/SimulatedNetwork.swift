import Domain
import Fuzzing

/// A network that loses, repeats, delays and reorders messages. A partition blocks a worker for a while, in one
/// direction or both. A dead connection loses everything until a reconnect, as when a middlebox drops its state.
struct SimulatedNetwork {
  enum Direction: CaseIterable {
    case toIngest, toWorker, both
  }

  /// Current partitions by worker.
  private var partitions: [Int: (direction: Direction, untilMs: Int64)] = [:]
  /// Dead connections, with the time at which each died.
  private var dead: [Address: Int64] = [:]
  var isCalm = false
  private(set) var lost = 0
  private(set) var duplicated = 0

  mutating func partition(_ worker: Int, _ direction: Direction, untilMs: Int64) {
    partitions[worker] = (direction, untilMs)
  }

  /// Makes a connection dead.
  mutating func kill(_ address: Address, nowMs: Int64) { dead[address] = nowMs }

  /// Returns true if the kernel has closed a dead connection, after `Limits.linkUnreadMs` without acknowledgements.
  func isEnded(_ address: Address, nowMs: Int64) -> Bool {
    dead[address].map { nowMs - $0 > Limits.linkUnreadMs } ?? false
  }

  /// Ends partitions and losses. Dead connections stay dead.
  mutating func heal() {
    partitions = [:]
    isCalm = true
  }

  /// Returns the delay of each copy of a message, in milliseconds. Empty if the message is lost.
  mutating func delays(
    between address: Address?, _ direction: Direction, nowMs: Int64, using random: inout SeededRandom
  ) -> [Int64] {
    if let address, dead[address] != nil {
      lost += 1
      return []
    }
    if isCalm { return [Int64.random(in: 1...20, using: &random)] }
    if let worker = address?.worker, let partition = partitions[worker], nowMs < partition.untilMs,
      partition.direction == .both || partition.direction == direction
    {
      lost += 1
      return []
    }
    let copies = random.happens(6) ? 0 : random.happens(5) ? 2 : 1
    lost += copies == 0 ? 1 : 0
    duplicated += copies == 2 ? 1 : 0
    return (0..<copies).map { _ in Int64.random(in: 1...(random.happens(10) ? 1_500 : 100), using: &random) }
  }
}
