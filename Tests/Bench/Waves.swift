import Glibc

/// What is told to many and has reached some of them: wave by wave, each numbered one above the other. In ns of the
/// monotonic clock.
struct Waves {
  private struct Wave {
    let startNs: UInt64
    var reached = 0
  }

  private let members: Int
  /// The last one begun.
  private(set) var newest: UInt64
  /// All have what came up to this one.
  private(set) var done: UInt64
  private var waves: [Wave] = []
  private let base: UInt64
  /// What members have got of what was begun, all together.
  private var deliveries = 0
  /// From the beginning to the last member, by wave.
  private(set) var tookNs: [UInt64] = []

  /// - Parameter number: what all members have.
  init(members: Int, after number: UInt64) {
    self.members = members
    (base, newest, done) = (number, number, number)
  }

  var open: Int { Int(newest - done) }

  /// Those begun less those that a member has got, on the average: what is on the way, as the yardsticks count it. One
  /// member that is late keeps a wave open, but holds up nobody.
  var onTheWay: Int { Int(newest - base) - deliveries / max(1, members) }

  /// - Parameter count: of numbers that it takes; they are seen as waves that begin together.
  mutating func begin(count: Int = 1, nowNs: UInt64) {
    for _ in 0..<count { waves.append(Wave(startNs: nowNs)) }
    newest += UInt64(count)
  }

  /// A member that had one number has another.
  mutating func reach(from old: UInt64, to new: UInt64, nowNs: UInt64) {
    deliveries += Int(max(base, min(new, newest)) - max(base, min(old, newest)))
    guard done < new, old < new else { return }
    var number = max(old, done)
    while number < min(new, newest) {
      let index = Int(number - base)
      number += 1
      waves[index].reached += 1
      guard waves[index].reached == members else { continue }
      done = number
      tookNs.append(nowNs - waves[index].startNs)
    }
  }

  static var nowNs: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// Durations by rank, in ms.
struct Durations {
  private let sortedMs: [Double]

  init(ms: [Double]) { sortedMs = ms.sorted() }
  init(ns: [UInt64]) { self.init(ms: ns.map { Double($0) / 1e6 }) }

  var count: Int { sortedMs.count }
  var p50: Double { quantile(0.5) }
  var p99: Double { quantile(0.99) }

  private func quantile(_ share: Double) -> Double {
    sortedMs.isEmpty ? 0 : sortedMs[Int(share * Double(sortedMs.count - 1))]
  }
}
