import Dispatch
package import Domain
import Foundation
package import Logging
import Metrics
import Synchronization
import Telemetry

/// Bounded queue of mails that delivers them to the mail server, on threads of its own. The queue is in memory: a
/// restart loses its mails, and their recipients request them again. Any thread.
package final class MailQueue: Sendable {
  /// A mail to send.
  package struct Order: Sendable {
    /// Reason of the mail, for the log and the metrics.
    package let purpose: MailToken.Purpose
    /// End of the attempts, in milliseconds since 1970, UTC. The mail's link is invalid from then on.
    package let expiresMs: Int64
    /// Creates the mail. Called once, on a task of the queue. Nil if there is nothing to send.
    package let message: @Sendable () async throws -> MailMessage?

    package init(
      purpose: MailToken.Purpose, expiresMs: Int64, message: @escaping @Sendable () async throws -> MailMessage?
    ) {
      self.purpose = purpose
      self.expiresMs = expiresMs
      self.message = message
    }
  }

  private struct State: Sendable {
    /// Tasks of the mails that wait or are being sent, at most `Limits.mailsWaitingMax`.
    var tasks: [UInt64: Task<Void, Never>] = [:]
    var next: UInt64 = 0
    var hasEnded = false
  }

  private let configuration: MailConfiguration
  private let logger: Logger
  private let state = Mutex(State())
  private let connections = AsyncSemaphore(permits: Limits.mailConnectionsMax, waitingMax: Limits.mailsWaitingMax)
  private let threads = DispatchQueue(label: "onthemap.mail", attributes: .concurrent)

  package init(_ configuration: MailConfiguration, logger: Logger) {
    self.configuration = configuration
    self.logger = logger
  }

  /// Queues a mail. Returns immediately.
  ///
  /// - Returns: false if the queue is full or has ended.
  package func submit(_ order: Order) -> Bool {
    let isQueued = state.withLock { state in
      guard !state.hasEnded, state.tasks.count < Limits.mailsWaitingMax else { return false }
      let number = state.next
      state.next += 1
      state.tasks[number] = Task {
        await self.run(order)
        self.state.withLock { $0.tasks[number] = nil }
      }
      return true
    }
    if !isQueued { MailQueue.count(order.purpose, "refused") }
    return isQueued
  }

  /// Drops the mails that wait. A delivery in progress may complete later.
  package func end() {
    let tasks = state.withLock { state in
      state.hasEnded = true
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
    if !tasks.isEmpty { logger.notice("mails dropped", metadata: ["count": "\(tasks.count)"]) }
  }

  private func run(_ order: Order) async {
    let message: MailMessage
    do {
      guard let created = try await order.message() else { return }
      message = created
    } catch {
      MailQueue.count(order.purpose, "failed")
      logger.error("mail not created", metadata: ["purpose": "\(order.purpose.name)", "error": "\(error)"])
      return
    }
    var failures = 0
    while !Task.isCancelled {
      switch await deliver(message) {
      case nil: return
      case .success?:
        MailQueue.count(order.purpose, "sent")
        logger.info("mail sent", metadata: ["purpose": "\(order.purpose.name)", "failures": "\(failures)"])
        return
      case .failure(let failure)?:
        failures += 1
        guard await waits(after: failure, failures: failures, order) else { return }
      }
    }
  }

  /// Logs a failure, and waits for the next attempt. Returns false if there is none.
  private func waits(after failure: MailFailure, failures: Int, _ order: Order) async -> Bool {
    var random = SystemRandomNumberGenerator()
    let pauseMs = Backoff.pauseMs(
      attempts: failures, baseMs: configuration.retryMs, capMs: Limits.mailRetryCapMs, using: &random)
    let nextMs = Int64(Date().timeIntervalSince1970 * 1_000) + pauseMs
    let isRetried = failure.isTemporary && failures < Limits.mailAttemptsMax && nextMs < order.expiresMs
    MailQueue.count(order.purpose, isRetried ? "retried" : "failed")
    logger.warning(
      isRetried ? "mail deferred" : "mail not sent",
      metadata: [
        "purpose": "\(order.purpose.name)", "reply": "\(failure.reply)", "error": "\(failure)",
        "failures": "\(failures)",
      ])
    guard isRetried else { return false }
    // A cancellation ends the wait, and then the loop.
    try? await Task.sleep(for: .milliseconds(pauseMs))
    return true
  }

  /// Delivers a mail as soon as a connection is free. Nil after the end of the queue.
  private func deliver(_ message: MailMessage) async -> Result<Void, MailFailure>? {
    let connection = SMTPConnection(to: configuration.server, sender: configuration.sender.address)
    let result = await connections.withPermit { [threads] () async -> Result<Void, MailFailure>? in
      guard !Task.isCancelled else { return nil }
      return await withCheckedContinuation { continuation in
        threads.async {
          do throws(MailFailure) {
            try connection.deliver(message)
            continuation.resume(returning: .success(()))
          } catch { continuation.resume(returning: .failure(error)) }
        }
      }
    }
    guard let result else { preconditionFailure("Each mail of the queue may wait for a connection.") }
    return result
  }

  private static func count(_ purpose: MailToken.Purpose, _ outcome: String) {
    Metric.mails.counter(purpose.name, outcome).increment()
  }
}
