import Domain
import SwiftProtobuf

/// A codec for the frames of the submission link that carry posts and their receipts.
///
/// There is a batch for every few dozen posts, so the codec converts directly between bytes and the domain's values,
/// field by field. The generated code handles all other frames and unusual ones. Tests check that both give the same
/// bytes and values.
enum SubmitCodec {
  /// Returns a frame with a producer's posts.
  static func batch(_ posts: [SubmittedPost], id: UInt64, token: String) -> [UInt8] {
    var frame = FieldWriter(capacity: 128 + posts.count * 128)
    frame.version()
    frame.number(4, id)
    frame.text(5, token)
    frame.message(16) { batch in
      for post in posts { batch.message(1) { $0.draft(post) } }
    }
    return frame.bytes
  }

  /// Returns the frame of ingest's reply to a batch.
  ///
  /// - Parameter start: The start of ingest. Nil for none.
  static func receipts(_ receipts: [SubmitReceipt], id: UInt64, start: IngestStart? = nil) -> [UInt8] {
    var frame = FieldWriter(capacity: 64 + receipts.count * 16)
    frame.version()
    frame.number(4, id)
    if let start {
      frame.data(5, start.epoch.bytes)
      frame.number(6, UInt64(start.generation))
    }
    frame.message(16) { body in
      for receipt in receipts { body.message(1) { $0.receipt(receipt) } }
    }
    return frame.bytes
  }

  /// Decodes receipts of stored posts. Nil for any other reply, and for a reply that only the generated code can
  /// read.
  static func receipts(_ bytes: [UInt8]) -> (id: UInt64, start: IngestStart?, receipts: [SubmitReceipt])? {
    bytes.withUnsafeBytes { bytes in
      var frame = FieldReader(bytes)
      guard frame.isOfThisVersion(), case (4, .varint(let id))? = frame.next() else { return nil }
      var (field, start): ((number: Int, value: FieldReader.Value)?, IngestStart?) = (frame.next(), nil)
      if case (5, .bytes(let epoch))? = field {
        guard let epoch = Epoch(epoch), case (6, .varint(let generation))? = frame.next() else { return nil }
        (field, start) = (frame.next(), IngestStart(epoch, generation))
      }
      guard case (16, .bytes(let body))? = field, frame.isAtEnd else { return nil }
      return FieldReader.elements(body, SubmitReceipt.init).map { (id, start, $0) }
    }
  }
}

/// A producer's request, as ingest decodes it.
struct ProducerMessage {
  enum Body {
    case batch([SubmittedPost])
    case query([String])
  }

  let id: UInt64
  let major: UInt32
  let minor: UInt32
  let token: String
  /// The body. Nil if this version does not know the body.
  let body: Body?

  /// Decodes a request of any version. Nil if the frames are not a request of this protocol.
  init?(_ frames: ArraySlice<[UInt8]>) {
    if frames.count == 1, let bytes = frames.first, let message = ProducerMessage(fieldByField: bytes) {
      self = message
      return
    }
    guard let request = SubmitRequest(frames) else { return nil }
    (id, major, minor, token) = (request.requestID, request.major, request.minor, request.token)
    switch request.body {
    case .batch(let batch)?: body = .batch(batch.posts.map(\.post))
    case .query(let query)?: body = .query(query.postIds)
    case nil: body = nil
    }
  }

  /// Decodes a request field by field. Nil also for a request that only the generated code can read.
  init?(fieldByField bytes: [UInt8]) {
    let read: ProducerMessage? = bytes.withUnsafeBytes { bytes in
      var frame = FieldReader(bytes)
      guard frame.isOfThisVersion(), case (4, .varint(let id))? = frame.next(),
        case (5, .bytes(let token))? = frame.next(), let token = String(utf8: token),
        case (16, .bytes(let batch))? = frame.next(), frame.isAtEnd,
        let posts = FieldReader.elements(batch, SubmittedPost.init)
      else { return nil }
      return ProducerMessage(id: id, token: token, posts)
    }
    guard let read else { return nil }
    self = read
  }

  private init(id: UInt64, token: String, _ posts: [SubmittedPost]) {
    (self.id, self.token, body) = (id, token, .batch(posts))
    (major, minor) = (Protocol.major, Protocol.minor)
  }
}

extension FieldWriter {
  /// Writes the fields of a `Draft`.
  mutating func draft(_ post: SubmittedPost) {
    text(1, post.idempotencyKey)
    text(2, post.place)
    text(3, post.link)
    optional(4, post.latitude.map(Int32.init(degrees:)))
    optional(5, post.longitude.map(Int32.init(degrees:)))
    if let trace = post.trace { text(6, trace.description) }
  }

  fileprivate mutating func receipt(_ receipt: SubmitReceipt) {
    switch receipt {
    case .accepted(let id):
      number(1, 1)
      text(2, id.description)
    case .replayed(let id):
      number(1, 2)
      text(2, id.description)
    case .refused, .busy: add(Onthemap_Submit_V1_Receipt(receipt).bytes)
    }
  }
}

extension SubmittedPost {
  /// Decodes the fields of a `Draft`. Nil if only the generated code can read them.
  init?(_ fields: inout FieldReader) {
    var (key, place, link) = ("", "", "")
    var (latitude, longitude): (Double?, Double?)
    var trace: TraceContext?
    while !fields.isAtEnd {
      switch fields.next() {
      case (1, .bytes(let bytes))?: guard key.read(bytes) else { return nil }
      case (2, .bytes(let bytes))?: guard place.read(bytes) else { return nil }
      case (3, .bytes(let bytes))?: guard link.read(bytes) else { return nil }
      case (4, .varint(let value))?:
        guard let number = Int32(zigzag: value) else { return nil }
        latitude = Double(number) / 1e7
      case (5, .varint(let value))?:
        guard let number = Int32(zigzag: value) else { return nil }
        longitude = Double(number) / 1e7
      case (6, .bytes(let bytes))?:
        guard let text = String(utf8: bytes) else { return nil }
        trace = TraceContext(text)
      default: return nil
      }
    }
    self.init(
      idempotencyKey: key, place: place, link: link, latitude: latitude, longitude: longitude, trace: trace)
  }
}

extension SubmitReceipt {
  fileprivate init?(_ fields: inout FieldReader) {
    guard case (1, .varint(let outcome))? = fields.next(), case (2, .bytes(let id))? = fields.next(), fields.isAtEnd,
      let id = PostID(utf8: id)
    else { return nil }
    switch outcome {
    case 1: self = .accepted(id)
    case 2: self = .replayed(id)
    default: return nil
    }
  }
}
