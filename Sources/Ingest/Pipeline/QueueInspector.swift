import Domain
import Messaging
import Synchronization

/// What the reactor's stations know at this moment of the queue, its workers and the feeds. Any thread.
final class QueueInspector: Sendable {
  private let inbox: CommandQueue<AdminServer.Command>
  private let answers = Waiters<UInt64, AdminServer.LiveState>(max: Limits.queueInspectionsMax)
  private let counter = Atomic<UInt64>(0)

  init(_ inbox: CommandQueue<AdminServer.Command>) { self.inbox = inbox }

  /// Nil when `Limits.queueInspectionsMax` wait already, or when it takes longer than `Limits.queueInspectionTimeoutMs`.
  func liveState(about request: AdminRequest) async -> AdminServer.LiveState? {
    let id = counter.add(1, ordering: .relaxed).newValue
    guard answers.register(id) else { return nil }
    inbox.enqueue(.inspect(request) { [answers] in answers.complete(id, $0) })
    return await answers.outcome(of: id, withinMs: Limits.queueInspectionTimeoutMs)
  }
}
