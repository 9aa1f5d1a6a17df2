/// Pseudorandom number generator with a seed. (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators",
/// 2014.)
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator. Equal seeds give equal sequences.
  package init(seed: UInt64) { state = seed }

  /// Returns the next number.
  package mutating func next() -> UInt64 {
    // 2^64 divided by the golden ratio.
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns one number of a seed's sequence, without the numbers before it. Positions start at 0.
  package static func value(seed: UInt64, at position: UInt64) -> UInt64 {
    var random = SplitMix64(seed: seed &+ position &* 0x9E37_79B9_7F4A_7C15)
    return random.next()
  }
}
