import Foundation
import Glibc
import Testing

@testable import Messaging

@Suite("Command queue")
struct CommandQueueTests {
  private func isSignalled(_ wake: WakeupEvent) -> Bool {
    var poll = pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, 0) == 1
  }

  @Test("Only the first command after a drain wakes the reactor")
  func wakes() {
    let wake = WakeupEvent()
    let queue = CommandQueue<Int>(wake)
    #expect(!isSignalled(wake))
    queue.enqueue(1)
    #expect(isSignalled(wake))
    wake.clear()
    queue.enqueue(2)
    queue.enqueue(3)
    #expect(!isSignalled(wake))
    #expect(queue.drain() == [1, 2, 3])
    #expect(queue.drain().isEmpty)
    queue.enqueue(4)
    #expect(isSignalled(wake))
    wake.clear()
    wake.clear()
    #expect(!isSignalled(wake))
  }

  @Test("Commands of 8 threads arrive once, in order per thread, without a missed wake-up")
  func threads() async throws {
    let wake = WakeupEvent()
    let queue = CommandQueue<(thread: Int, number: Int)>(wake)
    let perThread = 5_000
    var drained: [[Int]] = Array(repeating: [], count: 8)
    // Use threads, because tasks would often wait for other tests.
    for thread in 0..<8 {
      Thread.detachNewThread {
        for number in 0..<perThread {
          queue.enqueue((thread, number))
          if number % 100 == 0 { sched_yield() }
        }
      }
    }
    // Drain the queue only after a wake-up, as a reactor does.
    try await eventually("all commands are drained") {
      guard isSignalled(wake) else { return false }
      wake.clear()
      for command in queue.drain() { drained[command.thread].append(command.number) }
      return drained.allSatisfy { $0.count == perThread }
    }
    let expected = Array(0..<perThread)
    #expect(drained.allSatisfy { $0 == expected })
  }
}
