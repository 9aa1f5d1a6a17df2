import Foundation
import Glibc
import Testing

@testable import Messaging

@Suite("A station's inbox")
struct CommandQueueTests {
  private func isSignalled(_ wake: WakeupEvent) -> Bool {
    var poll = pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, 0) == 1
  }

  @Test("The first command wakes the reactor; those that follow wake it no more, until they are taken")
  func wakes() {
    let wake = WakeupEvent()
    let inbox = CommandQueue<Int>(wake)
    #expect(!isSignalled(wake))
    inbox.enqueue(1)
    #expect(isSignalled(wake))
    wake.clear()
    inbox.enqueue(2)
    inbox.enqueue(3)
    #expect(!isSignalled(wake))
    #expect(inbox.drain() == [1, 2, 3])
    #expect(inbox.drain().isEmpty)
    inbox.enqueue(4)
    #expect(isSignalled(wake))
    wake.clear()
    wake.clear()
    #expect(!isSignalled(wake))
  }

  @Test("Under 8 threads every command arrives once, each thread's in its order, and no wake-up is missed")
  func threads() async throws {
    let wake = WakeupEvent()
    let inbox = CommandQueue<(thread: Int, number: Int)>(wake)
    let perThread = 5_000
    var taken: [[Int]] = Array(repeating: [], count: 8)
    // Threads of their own: tasks would wait for the other tests at every turn.
    for thread in 0..<8 {
      Thread.detachNewThread {
        for number in 0..<perThread {
          inbox.enqueue((thread, number))
          if number % 100 == 0 { sched_yield() }
        }
      }
    }
    // As a reactor: it looks into the inbox only when it has been woken.
    try await eventually("all commands are taken") {
      guard isSignalled(wake) else { return false }
      wake.clear()
      for command in inbox.drain() { taken[command.thread].append(command.number) }
      return taken.allSatisfy { $0.count == perThread }
    }
    let expected = Array(0..<perThread)
    #expect(taken.allSatisfy { $0 == expected })
  }
}
