import Dispatch

/// Progress of waves of changes through many members. Waves have consecutive numbers. Times are ns of the monotonic
/// clock.
struct Waves {
  private struct Wave {
    let startNs: UInt64
    var reached = 0
  }

  private let members: Int
  /// Number of the last started wave.
  private(set) var newest: UInt64
  /// Number of the last wave that, like all earlier waves, every member has received.
  private(set) var done: UInt64
  private var waves: [Wave] = []
  private let base: UInt64
  /// Deliveries of started waves, over all members.
  private var deliveries = 0
  /// Time from the start of each wave to its last member, in ns.
  private(set) var tookNs: [UInt64] = []

  /// - Parameter number: Number of the last wave that all members already have.
  init(members: Int, after number: UInt64) {
    self.members = members
    (base, newest, done) = (number, number, number)
  }

  var open: Int { Int(newest - done) }

  /// Waves in flight, as the baselines count them: started waves minus the mean number of waves per member. A single
  /// late member keeps a wave open, but does not delay others.
  var onTheWay: Int { Int(newest - base) - deliveries / max(1, members) }

  /// - Parameter count: Number of waves that start together.
  mutating func begin(count: Int = 1, nowNs: UInt64) {
    for _ in 0..<count { waves.append(Wave(startNs: nowNs)) }
    newest += UInt64(count)
  }

  /// Records that a member has advanced from one number to another.
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

  static var nowNs: UInt64 { DispatchTime.now().uptimeNanoseconds }
}

/// Sorted durations, in ms.
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
