import CZeroMQ
import Glibc
import Synchronization

/// Wakes a reactor from its poll: an eventfd. Any thread.
package final class Wake: Sendable {
  let descriptor: Int32

  package init() {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    precondition(descriptor >= 0, "No file descriptor is left for an eventfd: raise the limit (ulimit -n).")
  }

  deinit { Glibc.close(descriptor) }

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
package final class Inbox<Command: Sendable>: Sendable {
  private let waiting = Mutex<[Command]>([])
  private let wake: Wake

  package init(_ wake: Wake) { self.wake = wake }

  /// Returns at once.
  package func put(_ commands: some Collection<Command>) {
    guard !commands.isEmpty else { return }
    let first = waiting.withLock { waiting in
      defer { waiting.append(contentsOf: commands) }
      return waiting.isEmpty
    }
    // Whoever finds it empty wakes the reactor; it takes the others' along.
    if first { wake.signal() }
  }

  /// Returns at once.
  package func put(_ command: Command) { put(CollectionOfOne(command)) }

  func takeAll() -> [Command] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}
