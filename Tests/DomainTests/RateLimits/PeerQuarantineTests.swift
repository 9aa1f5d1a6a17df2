import Testing

@testable import Domain

@Suite("Quarantine of peers")
struct PeerQuarantineTests {
  private var quarantine = PeerQuarantine()

  @Test("The hundredth malformed frame within a minute quarantines its peer, and no other, for a minute")
  mutating func edge() {
    for number in 1...99 {
      let begins = quarantine.recordMalformed([1], nowMs: Int64(number) * 600)
      #expect(!begins)
      #expect(!quarantine.isQuarantined([1], nowMs: Int64(number) * 600))
    }
    let begins = quarantine.recordMalformed([1], nowMs: 59_999)
    #expect(begins)
    #expect(quarantine.isQuarantined([1], nowMs: 59_999) && quarantine.isQuarantined([1], nowMs: 119_998))
    #expect(!quarantine.isQuarantined([1], nowMs: 119_999))
    #expect(!quarantine.isQuarantined([2], nowMs: 60_000))
    let beginsAgain = quarantine.recordMalformed([1], nowMs: 119_999)
    #expect(!beginsAgain, "The count starts again after the quarantine.")
  }

  @Test("A hundred malformed frames in more than a minute cause no quarantine")
  mutating func slow() {
    for number: Int64 in 0..<1_000 {
      let begins = quarantine.recordMalformed([1], nowMs: number * 700)
      #expect(!begins)
      #expect(!quarantine.isQuarantined([1], nowMs: number * 700))
    }
  }

  @Test("Memory for peers is bounded")
  mutating func bound() {
    for number in 0..<5_000 {
      _ = quarantine.recordMalformed([UInt8(number >> 8), UInt8(number & 255)], nowMs: Int64(number))
      #expect(quarantine.peerCount <= Limits.quarantinePeersMax)
    }
  }
}
