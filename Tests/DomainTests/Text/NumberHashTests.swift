import Testing

@testable import Domain

@Suite("Hash of sequential numbers")
struct NumberHashTests {
  @Test("Hashes fill a table evenly, whichever bits of the numbers change", arguments: [0, 18, 40, 63])
  func spread(shift: UInt64) {
    for seed in [0, 1, -1, 1_234_567] {
      var slots = Array(repeating: 0, count: 1_024)
      let numbers = shift == 63 ? (0..<512 as Range<UInt64>).map { $0 | 1 << 63 } : (0..<512).map { $0 << shift }
      for number in numbers { slots[number.hash(seed: seed) & 1_023] += 1 }
      #expect(slots.max() ?? 0 <= 6, "seed \(seed)")
      #expect(slots.count { $0 > 0 } > 300, "seed \(seed)")
    }
  }

  @Test("Sets of job ids and leases find their members")
  func table() {
    let posts = (0..<1_000 as Range<UInt64>).map { JobID(rawValue: 1_700_000 << 18 + $0) }
    let jobs = posts + posts.map { JobID(lookup: $0.rawValue) }
    #expect(Set(jobs).count == 2_000)
    #expect(Set(jobs).isSuperset(of: jobs))
    let leases = jobs.map { Lease(job: $0, token: 7) }
    #expect(Set(leases).count == 2_000, "Two jobs with one token are two keys.")
  }
}
