import Testing

@testable import Ingest

@Suite("Waiters for an end")
struct WaitersTests {
  private let waiters = Waiters<Int, String>(max: 3)

  @Test("An end before the wait is there when the wait begins, once")
  func before() async {
    #expect(waiters.register(1))
    waiters.complete(1, "done")
    #expect(await waiters.outcome(of: 1, withinMs: 60_000) == "done")
    #expect(await waiters.outcome(of: 1, withinMs: 60_000) == nil, "Nobody expects it any more.")
  }

  @Test("An end during the wait ends it; the first end counts")
  func during() async throws {
    #expect(waiters.register(1))
    async let outcome = waiters.outcome(of: 1, withinMs: 60_000)
    // Whether the wait has begun or not: both ends lead to the same outcome.
    waiters.complete(1, "first")
    waiters.complete(1, "second")
    #expect(await outcome == "first")
  }

  @Test("One thing has one waiter, and all together are bounded; a place is free again after the wait")
  func bounds() async {
    #expect(waiters.register(1) && !waiters.register(1))
    #expect(waiters.register(2) && waiters.register(3) && !waiters.register(4))
    waiters.complete([2, 3, 9], "over")
    #expect(!waiters.register(4), "Their waits are still to come.")
    #expect(await waiters.outcome(of: 2, withinMs: 60_000) == "over")
    #expect(waiters.register(4))
    waiters.cancel(3)
    #expect(waiters.register(5))
  }

  @Test("A wait ends without an outcome after its time, when it is given up, and when its task is cancelled")
  func without() async {
    #expect(waiters.register(1))
    #expect(await waiters.outcome(of: 1, withinMs: 1) == nil)
    #expect(waiters.register(1), "The place is free again.")
    waiters.cancel(1)
    #expect(await waiters.outcome(of: 1, withinMs: 60_000) == nil)

    #expect(waiters.register(2))
    let task = Task { [waiters] in await waiters.outcome(of: 2, withinMs: 60_000) }
    task.cancel()
    #expect(await task.value == nil)
    #expect(waiters.register(2))
  }

  @Test("An end that nobody waits for leaves nothing behind")
  func nobody() async {
    waiters.complete(7, "lost")
    #expect(waiters.register(7))
    async let outcome = waiters.outcome(of: 7, withinMs: 60_000)
    waiters.complete(7, "seen")
    #expect(await outcome == "seen")
  }
}
