import Domain
import Testing

@Suite("SplitMix64")
struct SplitMix64Tests {
  @Test("SplitMix64 gives the reference numbers for seed 1234567")
  func reference() {
    var random = SplitMix64(seed: 1_234_567)
    let numbers = (0..<3).map { _ in random.next() }
    #expect(numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }

  @Test("The number at a position equals that of the sequence")
  func positions() {
    var random = SplitMix64(seed: 7)
    for position in 0..<10 as Range<UInt64> { #expect(SplitMix64.value(seed: 7, at: position) == random.next()) }
  }
}
