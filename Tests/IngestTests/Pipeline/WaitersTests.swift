import Domain
import Testing

@testable import Ingest

@Suite("Waiters")
struct WaitersTests {
  private let waiters = Waiters<Int, String>(max: 3)

  @Test("An outcome before the wait is delivered once")
  func before() async {
    #expect(waiters.register(1))
    waiters.complete(1, "done")
    #expect(await waiters.outcome(of: 1, withinMs: 60_000) == "done")
    #expect(await waiters.outcome(of: 1, withinMs: 60_000) == nil, "A delivered outcome must be removed.")
  }

  @Test("An outcome during the wait ends it, and the first outcome counts")
  func during() async throws {
    #expect(waiters.register(1))
    async let outcome = waiters.outcome(of: 1, withinMs: 60_000)
    // The wait may or may not have begun: both orders lead to the same outcome.
    waiters.complete(1, "first")
    waiters.complete(1, "second")
    #expect(await outcome == "first")
  }

  @Test("A wait that ends before it begins leaves the next wait for the same event alone", .timeLimit(.minutes(2)))
  func endedEarly() async {
    #expect(waiters.register(1))
    let outcome = await waiters.outcome(of: 1, withinMs: 60_000) { end in
      end()
      #expect(waiters.register(1))
    }
    #expect(outcome == nil)
    waiters.complete(1, "next")
    #expect(await waiters.outcome(of: 1, withinMs: 60_000) == "next")
  }

  @Test("A key has one waiter, and all waiters together are bounded")
  func bounds() async {
    #expect(waiters.register(1) && !waiters.register(1))
    #expect(waiters.register(2) && waiters.register(3) && !waiters.register(4))
    waiters.complete([2, 3, 9], "over")
    #expect(!waiters.register(4), "Completed waiters must keep their slots until their waits.")
    #expect(await waiters.outcome(of: 2, withinMs: 60_000) == "over")
    #expect(waiters.register(4))
    waiters.cancel(3)
    #expect(waiters.register(5))
  }

  @Test("A wait ends without an outcome at its timeout, on cancel, and with its task")
  func without() async {
    #expect(waiters.register(1))
    #expect(await waiters.outcome(of: 1, withinMs: 1) == nil)
    #expect(waiters.register(1), "The slot must be free again.")
    waiters.cancel(1)
    #expect(await waiters.outcome(of: 1, withinMs: 60_000) == nil)

    #expect(waiters.register(2))
    let task = Task { [waiters] in await waiters.outcome(of: 2, withinMs: 60_000) }
    task.cancel()
    #expect(await task.value == nil)
    #expect(waiters.register(2))
  }

  @Test("A wait ends when its client disconnects, and a late disconnect does not end the next wait")
  func disconnect() async {
    #expect(waiters.register(1))
    let disconnect = OneShot<@Sendable () -> Void>()
    #expect(await waiters.outcome(of: 1, withinMs: 60_000) { $0() } == nil)
    #expect(waiters.register(1))
    waiters.complete(1, "first")
    #expect(await waiters.outcome(of: 1, withinMs: 60_000) { disconnect.set($0) } == "first")

    #expect(waiters.register(1))
    disconnect.now?()
    waiters.complete(1, "second")
    #expect(await waiters.outcome(of: 1, withinMs: 60_000) == "second")
  }

  @Test("An outcome that has no waiter is dropped")
  func nobody() async {
    waiters.complete(7, "lost")
    #expect(waiters.register(7))
    async let outcome = waiters.outcome(of: 7, withinMs: 60_000)
    waiters.complete(7, "seen")
    #expect(await outcome == "seen")
  }
}
