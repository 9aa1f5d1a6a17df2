import Synchronization
import Testing

@testable import Domain

@Suite("Async semaphore")
struct AsyncSemaphoreTests {
  private final class Count: Sendable {
    let running = Atomic(0)
    let peak = Atomic(0)
  }

  private final class Order: Sendable {
    let numbers = Mutex<[Int]>([])
  }

  @Test("At most as many tasks run in parallel as there are permits, and all tasks run")
  func bound() async {
    let semaphore = AsyncSemaphore(permits: 3, waitingMax: 100)
    let count = Count()
    await withDiscardingTaskGroup { group in
      for _ in 0..<50 {
        group.addTask {
          let done: Void? = await semaphore.withPermit {
            let now = count.running.add(1, ordering: .relaxed).newValue
            count.peak.max(now, ordering: .relaxed)
            await Task.yield()
            count.running.subtract(1, ordering: .relaxed)
          }
          #expect(done != nil)
        }
      }
    }
    #expect((1...3).contains(count.peak.load(ordering: .relaxed)))
    #expect(count.running.load(ordering: .relaxed) == 0)
  }

  @Test("A task gets nil immediately when the queue is full")
  func full() async throws {
    let semaphore = AsyncSemaphore(permits: 1)
    let nested = await semaphore.withPermit { await semaphore.withPermit { 1 } }
    let inner = try #require(nested)
    #expect(inner == nil)
    #expect(await semaphore.withPermit { 2 } == 2)
  }

  @Test("A function that throws returns its permit")
  func failure() async throws {
    let semaphore = AsyncSemaphore(permits: 1)
    await #expect(throws: CancellationError.self) {
      try await semaphore.withPermit { () throws(CancellationError) in throw CancellationError() }
    }
    #expect(await semaphore.withPermit { 2 } == 2)
  }

  @Test("A permit goes to the task that has waited longest")
  func order() async {
    let semaphore = AsyncSemaphore(permits: 1, waitingMax: 3)
    let order = Order()
    let tasks = await semaphore.withPermit {
      var tasks: [Task<Void, Never>] = []
      for number in 0..<3 {
        tasks.append(Task { _ = await semaphore.withPermit { order.numbers.withLock { $0.append(number) } } })
        while semaphore.waitingCount <= number { await Task.yield() }
      }
      return tasks
    }
    for task in tasks ?? [] { await task.value }
    #expect(order.numbers.withLock { $0 } == [0, 1, 2])
  }
}
