import Domain
import Messaging
import Synchronization

/// Inspector of the reactor's live state: the queue, its workers and the feeds. Any thread.
final class QueueInspector: Sendable {
  private let inbox: CommandQueue<AdminServer.Command>
  private let answers = Waiters<UInt64, AdminServer.LiveState>(max: Limits.queueInspectionsMax)
  private let counter = Atomic<UInt64>(0)

  init(_ inbox: CommandQueue<AdminServer.Command>) { self.inbox = inbox }

  /// Returns the live state. Nil if `Limits.queueInspectionsMax` requests wait already, or after
  /// `Limits.queueInspectionTimeoutMs`.
  func liveState(about request: AdminRequest) async -> AdminServer.LiveState? {
    let id = counter.add(1, ordering: .relaxed).newValue
    guard answers.register(id) else { return nil }
    inbox.enqueue(.inspect(request) { [answers] in answers.complete(id, $0) })
    return await answers.outcome(of: id, withinMs: Limits.queueInspectionTimeoutMs)
  }
}
