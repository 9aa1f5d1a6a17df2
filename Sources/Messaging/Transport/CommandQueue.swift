import CZeroMQ
import Glibc
package import Synchronization

/// An eventfd that wakes a reactor from its poll. Any thread.
package final class WakeupEvent: Sendable {
  let descriptor: Int32

  /// Creates the event. Ends the process if it has no free file descriptor, because no link works without the event.
  package init() {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    precondition(descriptor >= 0, "No file descriptor is left for an eventfd: raise the limit (ulimit -n).")
  }

  deinit { Glibc.close(descriptor) }

  @usableFromInline
  func signal() {
    var one: UInt64 = 1
    write(descriptor, &one, 8)
  }

  func clear() {
    var count: UInt64 = 0
    read(descriptor, &count, 8)
  }
}

/// A queue of commands for a socket, in order. Any thread may enqueue. The reactor's thread drains all of them
/// together. The queue has no limit, so its callers must limit their commands.
package final class CommandQueue<Command: Sendable>: Sendable {
  @usableFromInline
  let waiting: Mutex<[Command]> = Mutex([])
  @usableFromInline
  let wake: WakeupEvent

  package init(_ wake: WakeupEvent) { self.wake = wake }

  /// Appends a command without waiting. The function is inlinable, so that a caller's module specializes it for the
  /// command type.
  @inlinable
  package func enqueue(_ command: Command) {
    let wasEmpty = waiting.withLock { waiting in
      waiting.append(command)
      return waiting.count == 1
    }
    // A caller that finds the queue empty wakes the reactor, which also drains the commands of other callers.
    if wasEmpty { wake.signal() }
  }

  /// Removes and returns the waiting commands, oldest first. Reactor's thread only.
  package func drain() -> [Command] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}
