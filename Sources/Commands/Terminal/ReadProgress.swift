import Foundation
import Synchronization

/// A bar on standard error that says how much of the input has been read; nothing where nobody looks.
final class ReadProgress: Sendable {
  private let total: Int?
  private let isShown = isatty(STDERR_FILENO) == 1
  private let done = Mutex(0)

  /// - Parameter total: bytes, nil where they are not known.
  init(total: Int?) { self.total = total }

  /// Counts bytes that have been read.
  func add(_ bytes: Int) {
    let done = done.withLock { done in
      done += bytes
      return done
    }
    guard isShown else { return }
    draw(Self.line(done: done, total: total))
  }

  static func line(done: Int, total: Int?) -> String {
    let megabytes = "\(done >> 20) MB"
    guard let total, total > 0 else { return "reading  \(megabytes)" }
    let part = min(Double(done) / Double(total), 1)
    let full = Int(part * Double(ToolLimits.barCells))
    let bar = String(repeating: "█", count: full) + String(repeating: "░", count: ToolLimits.barCells - full)
    return "reading  \(bar)  \(Int(part * 100)) %  \(megabytes) of \(total >> 20) MB"
  }

  /// Takes the line away.
  func clear() { if isShown { draw("") } }

  private func draw(_ line: String) { FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8)) }
}
