import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import NIOCore
import Store
import Web

/// A post that a gateway submits itself: a valid post of a program, with a bearer token, that waits for no outcome.
struct GatewayPost {
  let submission: Submission
  let sessionPost: SessionPost
  /// True if the gateway chose the idempotency key, because the client gave none.
  let hasGatewayKey: Bool

  private static let decoder = JSONDecoder()

  /// Returns nil for every other request. Ingest's own routes respond to it, also if it is an invalid post.
  ///
  /// - Parameter knowsOrigins: True if the gateway knows the origins of other sites that may use the API. Otherwise
  ///   only ingest has the headers of a response to such a site.
  init?(_ request: Request, _ body: ByteBuffer, knowsOrigins: Bool) {
    guard request.method == .post, request.uri.path == PostRoutes.path, request.headers[.prefer] == nil,
      knowsOrigins || request.headers[.origin] == nil, let header = request.headers[.authorization],
      header.prefix(7).lowercased() == "bearer ", header.utf8.count == 7 + Limits.sessionTokenBytes
    else { return nil }
    let bytes = Array(body.readableBytesView)
    let trace = request.headers[.traceparent].flatMap { TraceContext($0) }
    let plain = PostBody(plain: bytes[...])
    guard let post = plain ?? (try? RequestBody.decoded(PostBody.self, bytes, GatewayPost.decoder)),
      let submission = try? post.submission(trace: trace)
    else { return nil }
    let key = request.headers[.idempotencyKey]
    if let key { guard (try? Idempotency.checked(key)) != nil else { return nil } }
    self.submission = submission
    hasGatewayKey = key == nil
    sessionPost = SessionPost(
      token: String(header.dropFirst(7)),
      post: SubmittedPost(
        idempotencyKey: key ?? GatewayPost.newKey(), place: submission.place, link: submission.link,
        latitude: submission.coordinate?.latitude, longitude: submission.coordinate?.longitude, trace: trace))
  }

  /// Returns a new idempotency key, which no client uses.
  static func newKey() -> String { "gateway-" + Secrets.token() }
}
