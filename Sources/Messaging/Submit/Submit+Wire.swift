import Domain
import FoundationEssentials
import SwiftProtobuf

typealias SubmitRequest = Onthemap_Submit_V1_SubmitRequest
typealias SubmitReply = Onthemap_Submit_V1_SubmitReply

extension SubmitRequest {
  init(id: UInt64, token: String, _ body: OneOf_Body) {
    magic = Protocol.magic
    major = Protocol.major
    minor = Protocol.minor
    requestID = id
    self.token = token
    self.body = body
  }

  /// Decodes a request of any version. Nil if the frames are not a request of this protocol.
  init?(_ frames: ArraySlice<[UInt8]>) {
    guard frames.count == 1, let bytes = frames.first, let request = try? SubmitRequest(serializedBytes: bytes),
      request.magic == Protocol.magic
    else { return nil }
    self = request
  }
}

extension SubmitReply {
  /// - Parameter start: The start of ingest. Nil for none.
  init(id: UInt64, start: IngestStart? = nil, _ body: OneOf_Body) {
    magic = Protocol.magic
    major = Protocol.major
    minor = Protocol.minor
    requestID = id
    if let start { (epoch, generation) = (Data(start.epoch.bytes), start.generation) }
    self.body = body
  }

  /// Decodes a reply. Nil if the frames are not a reply of this major version.
  init?(_ frames: [[UInt8]]) {
    guard frames.count == 1, let reply = try? SubmitReply(serializedBytes: frames[0]), reply.magic == Protocol.magic,
      reply.major == Protocol.major
    else { return nil }
    self = reply
  }
}

extension Int32 {
  /// Converts degrees to units of 10⁻⁷ degrees. A value that does not fit becomes `Int32.max`, which is not a valid
  /// coordinate.
  init(degrees: Double) { self = Int32(exactly: (degrees * 1e7).rounded()) ?? .max }
}

extension Onthemap_Submit_V1_Draft {
  init(_ post: SubmittedPost) {
    idempotencyKey = post.idempotencyKey
    place = post.place
    link = post.link
    if let latitude = post.latitude { latE7 = Int32(degrees: latitude) }
    if let longitude = post.longitude { lonE7 = Int32(degrees: longitude) }
    if let trace = post.trace { traceparent = trace.description }
  }

  /// The post as sent, without validation.
  var post: SubmittedPost {
    SubmittedPost(
      idempotencyKey: idempotencyKey, place: place, link: link, latitude: hasLatE7 ? Double(latE7) / 1e7 : nil,
      longitude: hasLonE7 ? Double(lonE7) / 1e7 : nil,
      trace: traceparent.isEmpty ? nil : TraceContext(traceparent))
  }
}

extension Onthemap_Submit_V1_Receipt {
  init(_ receipt: SubmitReceipt) {
    switch receipt {
    case .accepted(let id): (outcome, postID) = (.accepted, id.description)
    case .replayed(let id): (outcome, postID) = (.replayed, id.description)
    case .refused(let refusal):
      outcome = .refused
      set(refusal)
    case .busy(let refusal, let pauseMs):
      outcome = .busy
      set(refusal)
      retryAfterMs = UInt32(clamping: pauseMs)
    }
  }

  /// The receipt. Nil for an outcome of a later version, or if an accepted post has no valid id.
  var receipt: SubmitReceipt? {
    let refusal = SubmitRefusal(code: code, detail: detail, field: field)
    switch outcome {
    case .accepted: return PostID(postID).map { .accepted($0) }
    case .replayed: return PostID(postID).map { .replayed($0) }
    case .refused: return .refused(refusal)
    case .busy: return .busy(refusal, retryAfterMs: Int64(retryAfterMs))
    case .unspecified, .UNRECOGNIZED: return nil
    }
  }

  private mutating func set(_ refusal: SubmitRefusal) {
    code = refusal.code
    detail = refusal.detail
    field = refusal.field
  }
}

extension Onthemap_Submit_V1_PostStatus {
  /// Creates a post's status.
  ///
  /// - Parameter post: The post. Nil if there is none that the account may see.
  init(_ id: PostID, _ post: Post?) {
    postID = id.description
    guard let post else {
      state = .notFound
      return
    }
    state =
      switch post.state {
      case .queued: .queued
      case .published: .published
      case .rejected: .rejected
      case .dead: .dead
      case .deleted: .notFound
      }
    if let reason = post.reason { (code, detail) = (reason.code, reason.detail) }
    if let outcome = post.outcome {
      label = outcome.label
      countryCode = outcome.countryCode
      latE7 = outcome.coordinate.latitudeE7
      lonE7 = outcome.coordinate.longitudeE7
      agreement = Onthemap_Submit_V1_Agreement(rawValue: Int(outcome.agreement.rawValue)) ?? .unverified
    }
    seq = post.seq ?? 0
    createdUnixMs = UInt64(max(0, post.createdMs))
    updatedUnixMs = UInt64(max(0, post.updatedMs))
  }
}
