import Domain
import Testing

@Suite("One-shot value")
struct OneShotTests {
  @Test("A one-shot keeps its first value and refuses a second one")
  func first() async throws {
    let shot = OneShot<Int>()
    #expect(shot.now == nil)
    let sets = [shot.set(1), shot.set(2)]
    #expect(sets == [true, false])
    #expect(shot.now == 1)
    #expect(try await shot.value == 1)
    #expect(await shot.uncancelledValue() == 1)
  }

  @Test("Every waiting task gets the value")
  func waiting() async throws {
    let shot = OneShot<Int>()
    let tasks = (0..<4).map { number in
      Task { try await number.isMultiple(of: 2) ? shot.value : shot.uncancelledValue() }
    }
    // Some tasks wait already, and the others start later.
    await Task.yield()
    shot.set(7)
    for task in tasks { #expect(try await task.value == 7) }
  }

  @Test("A cancelled wait throws, and other waits go on")
  func cancellation() async throws {
    let shot = OneShot<Int>()
    let (cancelled, other) = (Task { try await shot.value }, Task { try await shot.value })
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    shot.set(7)
    #expect(try await other.value == 7)
  }

  @Test("uncancelledValue outlasts the cancellation of its task")
  func uncancelled() async {
    let shot = OneShot<Int>()
    let task = Task { await shot.uncancelledValue() }
    task.cancel()
    await Task.yield()
    shot.set(7)
    #expect(await task.value == 7)
  }
}
