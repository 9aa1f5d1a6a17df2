import Domain
import Testing

@Suite("Request pacer")
struct RequestPacerTests {
  @Test("The first request goes immediately, each further one an interval after the last")
  func spacing() {
    var pacer = RequestPacer(perSecond: 1)
    func acquires(_ nowMs: Int64) -> Bool { pacer.tryAcquire(nowMs: nowMs) }
    #expect(pacer.intervalMs == 1_000)
    #expect(acquires(5_000))
    #expect(!acquires(5_999))
    #expect(acquires(6_000))
    #expect(pacer.nextMs == 7_000)
  }

  @Test("An idle pacer allows no burst")
  func noBurst() {
    var pacer = RequestPacer(perSecond: 10)
    func acquires(_ nowMs: Int64) -> Bool { pacer.tryAcquire(nowMs: nowMs) }
    #expect(acquires(0))
    #expect(acquires(60_000))
    #expect(!acquires(60_099))
    #expect(acquires(60_100))
  }

  @Test("A pacer is never faster than its rate", arguments: [0.01, 0.3, 1, 3, 7, 999, 1_000_000])
  func never(perSecond: Double) {
    let pacer = RequestPacer(perSecond: perSecond)
    #expect(pacer.intervalMs >= 1 && Double(pacer.intervalMs) * perSecond >= 1_000)
  }

  @Test("Reservations get times an interval apart, in order")
  func reserve() {
    var pacer = RequestPacer(perSecond: 2)
    let times = [0, 0, 0, 9_000].map { pacer.reserve(nowMs: $0) }
    #expect(times == [0, 500, 1_000, 9_000])
  }
}
