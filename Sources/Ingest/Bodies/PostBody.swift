import Domain
import Hummingbird
import Web

/// A post in a request: the whole body, or one line of a bulk request.
struct PostBody: Decodable, Equatable {
  let place: String
  let link: String
  let latitude: Double?
  let longitude: Double?
  /// Idempotency key of a line in a bulk request. A request with one post has its key in a header.
  let idempotencyKey: String?

  /// Decodes the whole body of a request.
  ///
  /// - Throws: `Problem` for an invalid body.
  static func submission(of request: Request) async throws -> Submission {
    try await RequestBody.decode(PostBody.self, from: request)
      .submission(trace: request.headers[.traceparent].flatMap { TraceContext($0) })
  }

  func submission(trace: TraceContext?) throws(Problem) -> Submission {
    do throws(Submission.Refusal) {
      var submission = try Submission(place: place, link: link, latitude: latitude, longitude: longitude)
      submission.trace = trace
      return submission
    } catch { throw Problem(error) }
  }
}
