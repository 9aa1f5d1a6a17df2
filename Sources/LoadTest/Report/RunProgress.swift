import Synchronization

/// The progress line of a run.
final class RunProgress: Sendable {
  private struct Previous {
    var ns: Int64
    var accepted: Int
    var rate = 0.0
  }

  private let tally: Tally
  private let offered: Int
  private let draw: (@Sendable (String) -> Void)?
  private let previous = Mutex<Previous?>(nil)

  /// Creates a progress line.
  ///
  /// - Parameters:
  ///   - tally: Counts of the run.
  ///   - offered: Total number of posts.
  ///   - draw: Replaces the line. Nil if no terminal shows it.
  init(_ tally: Tally, offered: Int, draw: (@Sendable (String) -> Void)?) {
    self.tally = tally
    self.offered = offered
    self.draw = draw
  }

  /// Updates the line.
  ///
  /// - Parameter phase: The current step, as text.
  func show(_ phase: String) {
    guard let draw else { return }
    let counts = tally.counts
    draw(
      "\(phase)  \(counts.sent)/\(offered) sent  \(counts.accepted) accepted  \(counts.seen) seen  "
        + "\(counts.errors) errors  \(Int(rate(counts.accepted).rounded())) posts/s")
  }

  /// Removes the line.
  func clear() { draw?("") }

  /// Returns the rate over about the last second, so that people can read it.
  private func rate(_ accepted: Int) -> Double {
    let nowNs = RunClock.nowNs
    return previous.withLock { previous in
      guard let last = previous else {
        previous = Previous(ns: nowNs, accepted: accepted)
        return 0
      }
      guard nowNs - last.ns >= LoadLimits.rateNs else { return last.rate }
      let rate = Double(accepted - last.accepted) * 1e9 / Double(nowNs - last.ns)
      previous = Previous(ns: nowNs, accepted: accepted, rate: rate)
      return rate
    }
  }
}
