import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import NIOCore
import Store
import Synchronization
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
  /// - Parameters:
  ///   - keys: Source of the idempotency key of a post without one.
  ///   - knowsOrigins: True if the gateway knows the origins of other sites that may use the API. Otherwise only ingest
  ///     has the headers of a response to such a site.
  init?(_ request: Request, _ body: ByteBuffer, keys: GatewayKeys, knowsOrigins: Bool) {
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
        idempotencyKey: key ?? keys.next(), place: submission.place, link: submission.link,
        latitude: submission.coordinate?.latitude, longitude: submission.coordinate?.longitude, trace: trace))
  }
}

/// Idempotency keys of one run of a gateway, for posts whose clients give none. No client uses them, because they
/// contain a random part. Any thread.
///
/// The keys of a run have a common beginning and a rising number. Keys of the same time are therefore neighbors in the
/// store's index, and a commit writes few of its pages. With random keys, each post would write another page.
final class GatewayKeys: Sendable {
  private let run = Secrets.token()
  private let last = Atomic<UInt64>(0)

  func next() -> String { "gateway-\(run)-\(last.add(1, ordering: .relaxed).newValue)" }
}
