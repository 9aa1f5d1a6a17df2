import Domain
import SwiftProtobuf

extension ProducerProbe.ReceivedMessage {
  /// Decodes a message of the producer.
  ///
  /// - Parameter frames: Frames of the message, without ZeroMQ's routing id.
  package init(_ frames: [[UInt8]], connection: Int) {
    let byteCount = frames.reduce(0) { $0 + $1.count }
    guard frames.count == 1, let bytes = frames.first else {
      self.init(connection, byteCount, .unreadable("a message of \(frames.count) frames"))
      return
    }
    guard let request = try? SubmitRequest(serializedBytes: bytes) else {
      self.init(connection, byteCount, .unreadable("a frame that is not a SubmitRequest"))
      return
    }
    var body = request.body.map(Body.init) ?? .unreadable("a frame without a body")
    if request.minor != Protocol.minor { body = .unreadable("a frame of minor \(request.minor)") }
    if request.major != Protocol.major { body = .unreadable("a frame of major \(request.major)") }
    if request.magic != Protocol.magic {
      body = .unreadable("a frame with magic \(hexadecimal(UInt64(request.magic), digits: 8))")
    }
    self.init(connection: connection, id: request.requestID, token: request.token, byteCount: byteCount, body: body)
  }

  private init(_ connection: Int, _ byteCount: Int, _ body: Body) {
    self.init(connection: connection, id: 0, token: "", byteCount: byteCount, body: body)
  }
}

extension ProducerProbe.ReceivedMessage.Body {
  fileprivate init(_ body: SubmitRequest.OneOf_Body) {
    switch body {
    case .batch(let batch): self = .batch(batch.posts.map(\.post))
    case .query(let query): self = .query(query.postIds)
    }
  }
}

extension ProducerProbe.Stimulus {
  /// The connection to send on.
  package var connection: Int {
    switch self {
    case .receipts(let connection, _, _, _), .statuses(let connection, _, _), .error(let connection, _, _, _),
      .malformed(let connection, _, _):
      connection
    }
  }

  /// The frames to send, each a message.
  package var frames: [[UInt8]] {
    switch self {
    case .receipts(_, let id, let receipts, let isLater):
      [SubmitCodec.receipts(receipts, id: id) + (isLater ? ProducerProbe.laterMinorSuffix : [])]
    case .statuses(_, let id, let posts): [SubmitReply(id: id, .statuses(.published(posts))).bytes]
    case .error(_, let id, let refusal, let pauseMs):
      [
        SubmitReply(
          id: id,
          .error(
            .with {
              $0.code = refusal.code
              $0.detail = "tested by onthemap conformance"
              $0.retryAfterMs = UInt32(clamping: pauseMs)
            })
        ).bytes
      ]
    case .malformed(_, let id, let receipts): ProducerProbe.malformed(id, receipts)
    }
  }
}

extension ProducerProbe.Refusal {
  fileprivate var code: Onthemap_Submit_V1_ErrorCode {
    switch self {
    case .malformed: .malformed
    case .busy: .busy
    case .unauthorized: .unauthorized
    }
  }
}

extension Onthemap_Submit_V1_Statuses {
  fileprivate static func published(_ posts: [String]) -> Self {
    .with {
      $0.statuses = posts.map { id in
        .with { ($0.postID, $0.state, $0.label, $0.countryCode) = (id, .published, "Avalon", "GB") }
      }
    }
  }
}

extension ProducerProbe {
  /// Bytes that give a frame a later minor version and an unknown field. Protobuf reads the last minor version in the
  /// frame.
  fileprivate static var laterMinorSuffix: [UInt8] {
    var suffix = FieldWriter()
    suffix.number(3, UInt64(Protocol.minor + 1))
    suffix.message(99) { $0.text(1, "of a later minor version") }
    return suffix.bytes
  }

  /// Returns malformed frames. A producer that does not check them would take most of them for the batch's Receipts.
  fileprivate static func malformed(_ id: UInt64, _ receipts: [SubmitReceipt]) -> [[UInt8]] {
    var reply = SubmitReply(
      id: id, .receipts(.with { $0.receipts = receipts.map(Onthemap_Submit_V1_Receipt.init) }))
    let whole = reply.bytes
    reply.magic = 0x3154_4D4F
    let otherMagic = reply.bytes
    (reply.magic, reply.major) = (Protocol.magic, Protocol.major + 1)
    let otherMajor = reply.bytes
    (reply.major, reply.body) = (Protocol.major, nil)
    return [[], Array(repeating: 0xFF, count: 40), Array(whole.dropLast()), otherMagic, otherMajor, reply.bytes]
  }
}
