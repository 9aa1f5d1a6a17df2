import Domain
import SwiftProtobuf

/// A codec for the frames of the gateway link that carry posts and their results, field by field, as `SubmitCodec`
/// does it. The generated code handles all other frames and unusual ones. Tests check that both give the same bytes and
/// values.
enum GatewayCodec {
  /// Returns a frame with posts.
  static func batch(_ posts: [SessionPost], id: UInt64, connection: [UInt8]) -> [UInt8] {
    var frame = FieldWriter(capacity: 128 + posts.count * 192)
    frame.version()
    frame.number(4, id)
    frame.data(5, connection)
    frame.message(17) { batch in
      for post in posts {
        batch.message(1) { element in
          element.text(1, post.token)
          element.message(2) { $0.draft(post.post) }
        }
      }
    }
    return frame.bytes
  }

  /// Decodes posts. Nil for any other frame, and for a frame that only the generated code can read.
  static func batch(_ bytes: [UInt8]) -> (id: UInt64, connection: [UInt8], posts: [SessionPost])? {
    bytes.withUnsafeBytes { bytes in
      var frame = FieldReader(bytes)
      guard frame.isOfThisVersion(), case (4, .varint(let id))? = frame.next(),
        case (5, .bytes(let connection))? = frame.next(), case (17, .bytes(let batch))? = frame.next(), frame.isAtEnd
      else { return nil }
      let connectionName = Array(connection)
      return FieldReader.elements(batch, SessionPost.init).map { (id, connectionName, $0) }
    }
  }

  /// Returns the frame of ingest's results for a batch.
  static func results(_ results: [SessionPostResult], id: UInt64) -> [UInt8] {
    var frame = FieldWriter(capacity: 64 + results.count * 32)
    frame.version()
    frame.number(4, id)
    frame.message(17) { body in
      for result in results { body.message(1) { $0.result(result) } }
    }
    return frame.bytes
  }

  /// Decodes the results of accepted posts. Nil for any other reply, and for a reply that only the generated code can
  /// read.
  static func results(_ bytes: [UInt8]) -> (id: UInt64, results: [SessionPostResult])? {
    bytes.withUnsafeBytes { bytes in
      var frame = FieldReader(bytes)
      guard frame.isOfThisVersion(), case (4, .varint(let id))? = frame.next(),
        case (17, .bytes(let body))? = frame.next(), frame.isAtEnd
      else { return nil }
      return FieldReader.elements(body, SessionPostResult.init).map { (id, $0) }
    }
  }
}

extension FieldWriter {
  fileprivate mutating func result(_ result: SessionPostResult) {
    guard case .accepted(let id, let createdMs, let isReplayed) = result else {
      return add(Onthemap_Gateway_V1_PostResult(result).bytes)
    }
    text(1, id.description)
    fixed64(2, UInt64(clamping: createdMs))
    number(3, isReplayed ? 1 : 0)
  }
}

extension SessionPost {
  fileprivate init?(_ fields: inout FieldReader) {
    guard case (1, .bytes(let token))? = fields.next(), let token = String(utf8: token),
      case (2, .bytes(let draft))? = fields.next(), fields.isAtEnd
    else { return nil }
    var draftFields = FieldReader(draft)
    guard let post = SubmittedPost(&draftFields) else { return nil }
    self.init(token: token, post: post)
  }
}

extension SessionPostResult {
  fileprivate init?(_ fields: inout FieldReader) {
    guard case (1, .bytes(let id))? = fields.next(), let id = PostID(utf8: id),
      case (2, .fixed64(let createdMs))? = fields.next(), createdMs <= Protocol.unixMsMax
    else { return nil }
    var isReplayed = false
    if !fields.isAtEnd {
      guard case (3, .varint(1))? = fields.next(), fields.isAtEnd else { return nil }
      isReplayed = true
    }
    self = .accepted(id, createdMs: Int64(createdMs), isReplayed: isReplayed)
  }
}
