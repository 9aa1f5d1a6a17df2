import Domain
import Testing

@testable import PostgresStore

@Suite("Leader watch")
struct LeaderWatchTests {
  private static func seen(_ beat: Int64, term: Int64 = 3, isHeld: Bool = true) -> LeaderWatch.Observation {
    LeaderWatch.Observation(term: term, beat: beat, isHeld: isHeld)
  }

  /// Feeds observations, and returns the first takeover with its time.
  private func takeover(_ observations: [(ms: Int64, LeaderWatch.Observation)]) -> (ms: Int64, term: Int64)? {
    var watch = LeaderWatch()
    for (ms, seen) in observations {
      if case .takeOver(let term) = watch.observe(seen, nowMs: ms) { return (ms, term) }
    }
    return nil
  }

  @Test("A standby takes over when the same beat has stood for the whole silence, and not a millisecond before")
  func silence() {
    let start: Int64 = 70_000
    let still = stride(from: 0, through: 2 * Limits.leaderSilenceMs, by: 50).map { (start + $0, Self.seen(9)) }
    let taken = takeover(still)
    #expect(taken?.ms == start + Limits.leaderSilenceMs && taken?.term == 3)
    var watch = LeaderWatch()
    for ms in stride(from: 0, to: Limits.leaderSilenceMs, by: 1_000) {
      #expect(watch.observe(Self.seen(9), nowMs: start + ms) == .wait)
    }
    #expect(watch.observe(Self.seen(9), nowMs: start + Limits.leaderSilenceMs - 1) == .wait)
    #expect(watch.observe(Self.seen(9), nowMs: start + Limits.leaderSilenceMs) == .takeOver(3))
  }

  @Test("A standby waits while the beat rises, or another leader begins a term")
  func beats() {
    let rising = stride(from: 0, through: 60_000, by: 50).map { (Int64($0), Self.seen(Int64($0 / 4_900))) }
    #expect(takeover(rising) == nil)
    let terms = stride(from: 0, through: 60_000, by: 50).map { (Int64($0), Self.seen(1, term: Int64($0 / 4_900))) }
    #expect(takeover(terms) == nil)
  }

  @Test("A standby takes over immediately after a graceful end")
  func released() {
    let taken = takeover([(0, Self.seen(1)), (50, Self.seen(1)), (100, Self.seen(1, isHeld: false))])
    #expect(taken?.ms == 100 && taken?.term == 3)
    #expect(takeover([(0, Self.seen(0, term: 0, isHeld: false))])?.term == 0, "A new database has no leader.")
  }

  @Test("A gap in the observation starts the wait again, because a leader could not raise its beat either")
  func gap() {
    var watch = LeaderWatch()
    for ms in stride(from: 0, to: Limits.leaderSilenceMs, by: 500) { _ = watch.observe(Self.seen(9), nowMs: ms) }
    let resumed = Limits.leaderSilenceMs + Limits.leaderGapMs
    #expect(watch.observe(Self.seen(9), nowMs: resumed) == .wait)
    for ms in stride(from: 500, to: Limits.leaderSilenceMs, by: 500) {
      #expect(watch.observe(Self.seen(9), nowMs: resumed + ms) == .wait)
    }
    #expect(watch.observe(Self.seen(9), nowMs: resumed + Limits.leaderSilenceMs) == .takeOver(3))
  }
}
