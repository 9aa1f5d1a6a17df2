import Domain
import Testing

@Suite("A one-shot value")
struct OneShotTests {
  @Test("The first value counts, and a second one is refused")
  func first() async throws {
    let shot = OneShot<Int>()
    #expect(shot.now == nil)
    let sets = [shot.set(1), shot.set(2)]
    #expect(sets == [true, false])
    #expect(shot.now == 1)
    #expect(try await shot.value == 1)
    #expect(await shot.uncancelledValue() == 1)
  }

  @Test("Every task that waits gets the value")
  func waiting() async throws {
    let shot = OneShot<Int>()
    let tasks = (0..<4).map { number in
      Task { try await number.isMultiple(of: 2) ? shot.value : shot.uncancelledValue() }
    }
    // Some of them wait by now, and some come later.
    await Task.yield()
    shot.set(7)
    for task in tasks { #expect(try await task.value == 7) }
  }

  @Test("A cancelled wait ends with an error, and others go on")
  func cancellation() async throws {
    let shot = OneShot<Int>()
    let (cancelled, other) = (Task { try await shot.value }, Task { try await shot.value })
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    shot.set(7)
    #expect(try await other.value == 7)
  }

  @Test("A wait that must not be cancelled outlasts its task's cancellation")
  func uncancelled() async {
    let shot = OneShot<Int>()
    let task = Task { await shot.uncancelledValue() }
    task.cancel()
    await Task.yield()
    shot.set(7)
    #expect(await task.value == 7)
  }
}
