import Domain

/// Random input for tests. The same seed gives the same run.
package struct SeededRandom: RandomNumberGenerator {
  private var random: SplitMix64

  package init(seed: UInt64) { random = SplitMix64(seed: seed) }

  package mutating func next() -> UInt64 { random.next() }

  /// Returns true with a probability of `percent` percent.
  package mutating func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}
