import Foundation
import Testing

/// A stream of posts over HTTP and ZeroMQ during a fault. Each post is in the ledger before it is sent. Some posts
/// without a response are resent under their keys, and the others are abandoned.
struct Traffic: Sendable {
  let ledger: Ledger
  private let task: Task<Void, any Error>

  /// Starts the traffic.
  ///
  /// - Parameters:
  ///   - client: A client with a session.
  ///   - submit: The address for producers. Nil for HTTP only.
  ///   - rest: The pause between two posts of one sender.
  init(_ client: Client, submit: String?, ledger: Ledger, rest: Duration = .milliseconds(20)) {
    self.ledger = ledger
    task = Task {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { try await Traffic.post(client, ledger, rest) } }
        if let submit { group.addTask { try await Traffic.produce(client, submit, ledger, rest * 4) } }
        try await group.waitForAll()
      }
    }
  }

  /// Ends the traffic. No request is in flight afterwards.
  func end() async {
    task.cancel()
    _ = await task.result
  }

  private static func post(_ client: Client, _ ledger: Ledger, _ rest: Duration) async throws {
    while !Task.isCancelled {
      let (number, sent) = ledger.next()
      while true {
        let response = try? await client.post(sent.place, link: sent.link, key: sent.key)
        let isDone = record(number, status: response?.status, code: response?["code"], id: response?["id"], ledger)
        if isDone || Task.isCancelled || !number.isMultiple(of: 2) { break }
        // The pause of a client before it resends a post.
        try? await Task.sleep(for: .milliseconds(50))
      }
      try await Task.sleep(for: rest)
    }
  }

  /// Records a response. Returns true if it is final.
  private static func record(_ number: Int, status: Int?, code: String?, id: String?, _ ledger: Ledger) -> Bool {
    switch (status, code) {
    case (200?, _), (202?, _):
      guard let id else { break }
      ledger.accept(number, id: id)
      return true
    case (503?, "busy"?), (507?, "disk_full"?), (_, "store_unavailable"?):
      ledger.refuse(number)
      return false
    default: break
    }
    ledger.markUnknown(number)
    return false
  }

  private static func produce(
    _ client: Client, _ submit: String, _ ledger: Ledger, _ rest: Duration
  ) async throws {
    let producer = Producer(submit, token: client.token)
    while !Task.isCancelled {
      let batch = (0..<8).map { _ in ledger.next() }
      let drafts = batch.map { Draft(key: $0.sent.key, place: $0.sent.place, link: $0.sent.link) }
      for attempt in 1... {
        let reply = try? await producer.submitOnce(drafts, within: .seconds(1))
        if let reply, reply.receipts.count == batch.count {
          for (post, receipt) in zip(batch, reply.receipts) {
            switch receipt.outcome {
            case .accepted, .replayed: ledger.accept(post.number, id: receipt.id)
            case .busy where receipt.code == "outcome_unknown": ledger.markUnknown(post.number)
            case .busy, .refused: ledger.refuse(post.number)
            case nil: ledger.markUnknown(post.number)
            }
          }
          break
        }
        for post in batch { ledger.markUnknown(post.number) }
        if Task.isCancelled || (attempt > 2 && batch[0].number.isMultiple(of: 3)) { break }
      }
      try await Task.sleep(for: rest)
    }
  }
}
