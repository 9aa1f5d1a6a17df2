import CZeroMQ
import Foundation

/// A post that a producer sends.
struct Draft: Sendable {
  var key: String
  var place = "Oslo"
  var link = "https://example.org/ada"
  /// The latitude in degrees × 10^7.
  var latitudeE7: Int32?
  var longitudeE7: Int32?
  var traceparent = ""
}

/// Ingest's receipt for one post of a batch.
struct Receipt: Sendable, Equatable {
  enum Outcome: UInt64, Sendable { case accepted = 1, replayed, refused, busy }

  let outcome: Outcome?
  let id: String
  let code: String
  let detail: String
  let field: String
  let retryAfterMs: UInt64
}

/// The reply to a request.
struct Reply: Sendable {
  let request: UInt64
  var receipts: [Receipt] = []
  /// Post ids, state numbers, reason codes and labels.
  var statuses: [(id: String, state: UInt64, code: String, label: String)] = []
  /// The error code's number, if the whole request failed.
  var error: UInt64?
}

/// A producer written from proto/README.md: a DEALER, and protobuf by hand. Never blocks in libzmq.
final class Producer {
  let token: String
  private let context: UnsafeMutableRawPointer?
  private let socket: UnsafeMutableRawPointer?
  private var request: UInt64 = 0

  /// - Parameter endpoint: Ingest's address for producers.
  init(_ endpoint: String, token: String?) {
    self.token = token ?? ""
    context = zmq_ctx_new()
    socket = zmq_socket(context, ZMQ_DEALER)
    for (option, value) in [(ZMQ_LINGER, 0), (ZMQ_RECONNECT_IVL, 50)] as [(Int32, Int32)] {
      var value = value
      zmq_setsockopt(socket, option, &value, MemoryLayout<Int32>.size)
    }
    zmq_connect(socket, endpoint)
  }

  deinit {
    zmq_close(socket)
    zmq_ctx_term(context)
  }

  /// Sends a batch, and resends it with the same keys until a reply comes.
  func submit(_ drafts: [Draft], resendingEvery pause: Duration = .seconds(5)) async throws -> Reply {
    try await exchange(16, Producer.batch(drafts), resendingEvery: pause)
  }

  /// Sends a batch once.
  ///
  /// - Returns: Nil if no reply comes within the time.
  func submitOnce(_ drafts: [Draft], within limit: Duration) async throws -> Reply? {
    let number = send(16, Producer.batch(drafts))
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
      while let reply = receive() { if reply.request == number { return reply } }
      try await Task.sleep(for: .milliseconds(5))
    }
    return nil
  }

  private static func batch(_ drafts: [Draft]) -> ProtobufFields {
    var batch = ProtobufFields()
    for draft in drafts {
      var fields = ProtobufFields()
      fields.add(1, draft.key)
      fields.add(2, draft.place)
      fields.add(3, draft.link)
      if let latitude = draft.latitudeE7 { fields.add(4, signed: latitude) }
      if let longitude = draft.longitudeE7 { fields.add(5, signed: longitude) }
      fields.add(6, draft.traceparent)
      batch.add(1, fields)
    }
    return batch
  }

  /// Requests the states of posts.
  func statuses(of ids: [String]) async throws -> Reply {
    var query = ProtobufFields()
    for id in ids { query.add(1, id) }
    return try await exchange(17, query, resendingEvery: .seconds(5))
  }

  /// Sends a request once. Returns its number.
  @discardableResult
  func send(_ field: Int, _ body: ProtobufFields) -> UInt64 {
    request += 1
    var frame = ProtobufFields()
    frame.add(1, fixed: 0x314D_544F)
    frame.add(2, 1)
    frame.add(4, request)
    frame.add(5, token)
    frame.add(field, body)
    _ = frame.bytes.withUnsafeBytes { zmq_send(socket, $0.baseAddress, $0.count, ZMQ_DONTWAIT) }
    return request
  }

  /// Returns the next reply to any request. Nil if none waits.
  func receive() -> Reply? {
    var message = zmq_msg_t()
    zmq_msg_init(&message)
    defer { zmq_msg_close(&message) }
    guard zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) >= 0 else { return nil }
    let bytes = Array(UnsafeRawBufferPointer(start: zmq_msg_data(&message), count: zmq_msg_size(&message)))
    guard let frame = ProtobufMessage(bytes), frame.number(1) == 0x314D_544F, frame.number(2) == 1 else { return nil }
    var reply = Reply(request: frame.number(4))
    reply.receipts = frame.messages(16).flatMap { $0.messages(1) }.map {
      Receipt(
        outcome: Receipt.Outcome(rawValue: $0.number(1)), id: $0.text(2), code: $0.text(3), detail: $0.text(4),
        field: $0.text(5), retryAfterMs: $0.number(6))
    }
    reply.statuses = frame.messages(17).flatMap { $0.messages(1) }.map {
      ($0.text(1), $0.number(2), $0.text(3), $0.text(5))
    }
    reply.error = frame.messages(18).first?.number(1)
    return reply
  }

  /// Sends a request, and resends it until a reply comes.
  private func exchange(_ field: Int, _ body: ProtobufFields, resendingEvery pause: Duration) async throws -> Reply {
    var sent: Set<UInt64> = []
    var due = ContinuousClock.now
    return try await eventually("a request gets a reply") {
      if ContinuousClock.now >= due {
        sent.insert(send(field, body))
        due = ContinuousClock.now + pause
      }
      while let reply = receive() { if sent.contains(reply.request) { return reply } }
      return nil
    }
  }
}
