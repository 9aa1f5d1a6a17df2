import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Store
import Web

/// Routes of `/v2/posts/bulk`, which stores many posts in one transaction. The request has one JSON object per line,
/// and the response one line per post. Ingest responds when all posts are durable. It refuses an invalid line without
/// the others.
struct BulkRoutes: Sendable {
  static let path = "/v2/posts/bulk"

  let queue: PostPipeline
  let sessions: Sessions
  let site: Site

  func add(to router: Router<ConnectionContext>) {
    router.post("/v2/posts/bulk") { request, _ in try await create(request) }
    router.respondMethodNotAllowed(at: "/v2/posts/bulk", allow: .post)
  }

  private func create(_ request: Request) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    if let refusal = queue.refusal(of: caller.account) { throw refusal }
    let body = try await RequestBody.collect(request, upTo: Limits.bulkBytesMax)
    let lines = try BulkRoutes.lines(Array(body.readableBytesView))
    // A line without its own key gets a key from the header and the line's position. If the client resends the body
    // with the same header, ingest recognizes each line.
    let base = try request.headers[.idempotencyKey].map { header in
      hexadecimal(Secrets.fingerprint(try Idempotency.checked(header)))
    }
    let trace = request.headers[.traceparent].flatMap { TraceContext($0) }
    let decoder = JSONDecoder()
    let posts = lines.enumerated().map { index, line -> Result<NewPost, Problem> in
      do throws(Problem) {
        let plain = PostBody(plain: line)
        let line = if let plain { plain } else { try RequestBody.decoded(PostBody.self, line, decoder) }
        let submission = try line.submission(trace: trace)
        guard let key = line.idempotencyKey ?? base.map({ "bulk-\($0)-\(index)" }) else {
          return .success(NewPost(submission, nil))
        }
        return .success(NewPost(submission, try .init(key: key, of: submission)))
      } catch { return .failure(error) }
    }
    let results = try await stored(posts, caller.account.id)
    var text = JSONWriter()
    for result in results { text.line { result.write(to: &$0) } }
    return Response(
      status: .ok, headers: [.contentType: "application/x-ndjson"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: text.bytes)))
  }

  static func lines(_ body: [UInt8]) throws(Problem) -> [ArraySlice<UInt8>] {
    var rest = body[...]
    var lines: [ArraySlice<UInt8>] = []
    // Read one line more than allowed, to detect too many.
    while !rest.isEmpty, lines.count <= Limits.bulkPostsMax {
      let line = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest[line.endIndex...].dropFirst()
      if !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { lines.append(line) }
    }
    let requirement = "the body must have 1 to \(Limits.bulkPostsMax) lines, each a JSON object with a place and a link"
    guard !lines.isEmpty else { throw Problem(.badRequest, "empty_body", requirement) }
    guard lines.count <= Limits.bulkPostsMax else { throw Problem(.contentTooLarge, "too_many_lines", requirement) }
    return lines
  }

  /// Stores the valid lines. Returns the result of each line, in order.
  private func stored(_ lines: [Result<NewPost, Problem>], _ account: AccountID) async throws -> [BulkResult] {
    let valid = lines.compactMap { try? $0.get() }
    var (stored, refusal) = ([Acceptance](), Problem.busy)
    if !valid.isEmpty {
      (stored, refusal) = try await withCheckedThrowingContinuation { continuation in
        queue.accept(valid, account: account, counting: queue.meters.overHTTP) { result, refusal in
          continuation.resume(with: result.map { ($0, refusal) })
        }
      }
    }
    var next = stored.makeIterator()
    return lines.map { line in
      switch line {
      case .failure(let problem): .refused(problem)
      case .success:
        switch next.next() {
        case .accepted(let accepted): .accepted(accepted.id, isReplayed: accepted.job == nil)
        case .conflict: .refused(.idempotencyKeyReused)
        case .backlogFull, nil: .refused(refusal)
        }
      }
    }
  }
}

/// The result of a line.
private enum BulkResult {
  case accepted(PostID, isReplayed: Bool)
  case refused(Problem)

  func write(to json: inout JSONWriter) {
    switch self {
    case .accepted(let id, let isReplayed):
      json.add("status", isReplayed ? 200 : 202)
      json.add("id", id.description)
    case .refused(let problem): problem.write(to: &json)
    }
  }
}
