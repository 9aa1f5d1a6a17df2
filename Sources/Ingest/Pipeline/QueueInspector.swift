import Domain
import Messaging
import Synchronization

/// Inspector of the reactor's live state: the queue, its workers and the feeds. Any thread.
final class QueueInspector: Sendable {
  private let commands: CommandQueue<AdminServer.Command>
  private let waiters = Waiters<UInt64, AdminServer.LiveState>(max: Limits.queueInspectionsMax)
  private let counter = Atomic<UInt64>(0)

  init(_ commands: CommandQueue<AdminServer.Command>) { self.commands = commands }

  /// Returns the live state. Nil if `Limits.queueInspectionsMax` requests wait already, or after
  /// `Limits.queueInspectionTimeoutMs`.
  func liveState(about request: AdminRequest) async -> AdminServer.LiveState? {
    let id = counter.add(1, ordering: .relaxed).newValue
    guard waiters.register(id) else { return nil }
    commands.enqueue(.inspect(request) { [waiters] in waiters.complete(id, $0) })
    return await waiters.outcome(of: id, withinMs: Limits.queueInspectionTimeoutMs)
  }
}
