import Fuzzing

/// What becomes of messages on their way: lost, doubled, late, out of order; or none comes through for a while, in one
/// direction or both.
struct SimulatedNetwork {
  enum Direction: CaseIterable {
    case toIngest, toWorker, both
  }

  /// Until when a worker is cut off.
  private var cuts: [Int: (direction: Direction, untilMs: Int64)] = [:]
  var isCalm = false
  private(set) var lost = 0
  private(set) var doubled = 0

  mutating func cut(_ worker: Int, _ direction: Direction, untilMs: Int64) { cuts[worker] = (direction, untilMs) }

  mutating func heal() {
    cuts = [:]
    isCalm = true
  }

  /// How long each copy of a message takes, in ms; none where it is lost.
  mutating func delays(
    between worker: Int?, _ direction: Direction, nowMs: Int64, using random: inout SeededRandom
  ) -> [Int64] {
    if isCalm { return [Int64.random(in: 1...20, using: &random)] }
    if let worker, let cut = cuts[worker], nowMs < cut.untilMs, cut.direction == .both || cut.direction == direction {
      lost += 1
      return []
    }
    let copies = random.happens(6) ? 0 : random.happens(5) ? 2 : 1
    lost += copies == 0 ? 1 : 0
    doubled += copies == 2 ? 1 : 0
    return (0..<copies).map { _ in Int64.random(in: 1...(random.happens(10) ? 1_500 : 100), using: &random) }
  }
}
