import Domain
import Messaging
import Synchronization

/// What the reactor's stations know at this moment of the queue, its workers and the feeds. Any thread.
final class QueueView: Sendable {
  private let inbox: Inbox<AdminServer.Command>
  private let answers = Waiters<UInt64, AdminServer.Known>(max: Limits.queueLooksMax)
  private let counter = Atomic<UInt64>(0)

  init(_ inbox: Inbox<AdminServer.Command>) { self.inbox = inbox }

  /// Nil when `Limits.queueLooksMax` wait already, or when it takes longer than `Limits.queueLookMs`.
  func known(about request: AdminRequest) async -> AdminServer.Known? {
    let id = counter.add(1, ordering: .relaxed).newValue
    guard answers.expect(id) else { return nil }
    inbox.put(.look(request) { [answers] in answers.tell(id, $0) })
    return await answers.outcome(of: id, withinMs: Limits.queueLookMs)
  }
}
