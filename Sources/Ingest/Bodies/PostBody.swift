import Domain
import Hummingbird
import Web

/// A post as a request has it: the whole body, or a line among many.
struct PostBody: Decodable, Equatable {
  let place: String
  let link: String
  let latitude: Double?
  let longitude: Double?
  /// Of a line; who posts one at a time has a header for it.
  let idempotencyKey: String?

  /// The whole body's; throws a `Problem` with what is wrong with it.
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
