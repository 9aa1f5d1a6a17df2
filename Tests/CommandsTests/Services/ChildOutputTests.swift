import Foundation
import Synchronization
import Testing

@testable import Commands

@Suite("Output of child processes")
struct ChildOutputTests {
  @Test("A line of 1 MiB is read, and a longer one is skipped up to its end")
  func longLines() async throws {
    let output = try ChildOutput()
    let bytesMax = 1_048_576
    let lines = Mutex<[Int]>([])
    let reading = Task { try await output.read { line in lines.withLock { $0.append(line.utf8.count) } } }
    defer { reading.cancel() }
    // Writes on its own thread: the pipe's buffer holds 64 KiB, and then the writer blocks.
    Thread.detachNewThread {
      for count in [5, bytesMax, bytesMax + 1, 6, bytesMax + 100_000, 0, 3 * bytesMax, 7] {
        var bytes = ContiguousArray(repeating: UInt8(ascii: "x"), count: count) + [UInt8(ascii: "\n")]
        while !bytes.isEmpty {
          let written = bytes.withUnsafeBytes { write(output.writer, $0.baseAddress, $0.count) }
          guard written > 0 else { return }
          bytes.removeFirst(written)
        }
      }
    }
    let deadline = ContinuousClock.now + .seconds(120)
    while lines.withLock({ $0.last != 7 }), ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(lines.withLock { $0 } == [5, bytesMax, 6, 0, 7])
  }
}
