import Foundation
import Testing

/// Rounds of a test on random input, each with its own seed. `make test` runs a few fixed rounds. With `FUZZ_SECONDS`
/// the rounds fill that time, from a new seed or from `FUZZ_SEED`.
package enum Fuzz {
  /// - Parameters:
  ///   - count: The number of rounds without `FUZZ_SECONDS`.
  ///   - round: Returns true if the target accepted its input. The test fails unless more than 1 % are accepted.
  package static func rounds(_ count: UInt64, _ round: (inout SeededRandom) throws -> Bool) {
    let environment = ProcessInfo.processInfo.environment
    let seconds = environment["FUZZ_SECONDS"].flatMap(Double.init)
    let first = environment["FUZZ_SEED"].flatMap(UInt64.init) ?? (seconds == nil ? 1 : .random(in: 1...999_999_999))
    let end = ContinuousClock.now + .seconds(seconds ?? 0)
    // Print the seed first: after a round that ends the process, this line is the only trace.
    if seconds != nil { printLine("starts with FUZZ_SEED=\(first)") }
    var (seed, accepted): (UInt64, UInt64) = (first, 0)
    while seconds == nil ? seed < first + count : ContinuousClock.now < end {
      var random = SeededRandom(seed: seed)
      do { accepted += try round(&random) ? 1 : 0 } catch {
        // A failed expectation is recorded already; the seed reproduces the input.
        Issue.record("FUZZ_SEED=\(seed) starts with this round\(error is ExpectationFailedError ? "" : ": \(error)")")
        return
      }
      seed += 1
    }
    if seconds != nil { printLine("\(seed - first) rounds, \(accepted) inputs accepted") }
    #expect(accepted > (seed - first) / 100)
  }

  private static func printLine(_ text: String) {
    FileHandle.standardError.write(Data("\(Test.current?.name ?? "?"): \(text)\n".utf8))
  }
}

extension SeededRandom {
  package mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &self) }

  package mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

  package mutating func byte() -> UInt8 {
    below(2) == 0 ? one(of: [0, 1, 0x0A, 0x20, 0x2F, 0x7F, 0x80, 0xC2, 0xFF]) : .random(in: 0...255, using: &self)
  }

  /// Returns the bytes after up to eight changes: flipped bits, changed bytes, and pieces that are removed, repeated or
  /// replaced.
  package mutating func changed(_ bytes: [UInt8], with others: [[UInt8]]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<below(9) {
      let start = below(bytes.count + 1)
      let end = start + below(min(bytes.count - start, 40) + 1)
      switch below(7) {
      case 0: if start < bytes.count { bytes[start] ^= 1 << UInt8(below(8)) }
      case 1: if start < bytes.count { bytes[start] = byte() }
      case 2: bytes.insert(contentsOf: (0..<below(5)).map { _ in byte() }, at: start)
      case 3: bytes.removeSubrange(start..<end)
      case 4: bytes.insert(contentsOf: bytes[start..<end], at: start)
      case 5: bytes.replaceSubrange(start..<end, with: repeatElement(byte(), count: end - start))
      default: bytes.replaceSubrange(start..., with: one(of: others).dropFirst(start))
      }
    }
    return bytes
  }
}
