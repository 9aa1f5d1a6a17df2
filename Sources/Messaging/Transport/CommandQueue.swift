import CZeroMQ
import Glibc
package import Synchronization

/// Wakes a reactor from its poll: an eventfd. Any thread.
package final class WakeupEvent: Sendable {
  let descriptor: Int32

  /// Ends the process when no file descriptor is left: nothing runs without it.
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

/// Commands on their way to a station: any thread puts them in, the reactor's thread takes all of them at once. In
/// order, without a bound of its own: what puts them in is bounded.
package final class CommandQueue<Command: Sendable>: Sendable {
  @usableFromInline
  let waiting: Mutex<[Command]> = Mutex([])
  @usableFromInline
  let wake: WakeupEvent

  package init(_ wake: WakeupEvent) { self.wake = wake }

  /// Returns at once. Inlined, so that the caller's module has it for its kind of command.
  @inlinable
  package func enqueue(_ command: Command) {
    let first = waiting.withLock { waiting in
      waiting.append(command)
      return waiting.count == 1
    }
    // Whoever finds it empty wakes the reactor; it takes the others' along.
    if first { wake.signal() }
  }

  /// Returns the waiting commands, oldest first, and removes them. On the reactor's thread.
  package func drain() -> [Command] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}
