import Foundation
import Synchronization

/// One line on standard error that says how far a run is, drawn over itself; nothing where nobody looks.
final class LoadProgress: Sendable {
  private struct Previous {
    var ns: Int64
    var accepted: Int
    var rate = 0.0
  }

  private let tally: LoadTally
  private let offered: Int
  private let isShown: Bool
  private let previous = Mutex<Previous?>(nil)

  init(_ tally: LoadTally, offered: Int) {
    self.tally = tally
    self.offered = offered
    isShown = isatty(STDERR_FILENO) == 1
  }

  /// - Parameter phase: what is being done.
  func show(_ phase: String) {
    guard isShown else { return }
    let counts = tally.counts
    draw(
      "\(phase)  \(counts.sent)/\(offered) sent  \(counts.accepted) accepted  \(counts.seen) seen  "
        + "\(counts.errors) errors  \(Int(rate(counts.accepted).rounded())) posts/s")
  }

  /// Takes the line away.
  func clear() { if isShown { draw("") } }

  /// Of about the last second, so that it can be read.
  private func rate(_ accepted: Int) -> Double {
    let nowNs = LoadClock.nowNs
    return previous.withLock { previous in
      guard let last = previous else {
        previous = Previous(ns: nowNs, accepted: accepted)
        return 0
      }
      guard nowNs - last.ns >= 1_000_000_000 else { return last.rate }
      let rate = Double(accepted - last.accepted) * 1e9 / Double(nowNs - last.ns)
      previous = Previous(ns: nowNs, accepted: accepted, rate: rate)
      return rate
    }
  }

  private func draw(_ line: String) { FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8)) }
}
