import Testing

@testable import Domain

@Suite("Latest start of ingest")
struct LatestStartTests {
  private var latest = LatestStart()

  private mutating func admits(_ generation: UInt32, epoch: UInt8 = 1) -> Bool {
    latest.admits(IngestStart(epoch: .filled(with: epoch), generation: generation))
  }

  @Test("An ingest of the same or a later start is admitted")
  mutating func rises() {
    let admitted = [admits(5), admits(5), admits(6), admits(Limits.generationMax)]
    #expect(admitted == [true, true, true, true])
    #expect(latest.start?.generation == Limits.generationMax)
  }

  @Test("An ingest of an earlier start is refused again and again, and the latest start is kept")
  mutating func falls() {
    let admitted = [admits(6), admits(5), admits(1), admits(5), admits(6)]
    #expect(admitted == [true, false, false, false, true])
  }

  @Test("A restored or a new database has another epoch, and is admitted with any generation")
  mutating func restored() {
    let admitted = [admits(9), admits(1_009, epoch: 2), admits(1_008, epoch: 2), admits(1, epoch: 3)]
    #expect(admitted == [true, true, false, true])
  }

  @Test("An ingest that does not name its start is admitted, and changes nothing")
  mutating func unnamed() {
    let admitted = [admits(6), latest.admits(nil), admits(5)]
    #expect(admitted == [true, true, false])
  }
}
