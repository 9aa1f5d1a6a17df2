import HTTPTypes
import Hummingbird
import NIOCore
import OnTheMap
import Synchronization
import Web

/// The latest list for HTTP: its bytes are made once for each version that somebody asks for. Any thread.
final class LatestList: Sendable {
  private struct Version: Sendable {
    var state: FeedState
    var body: ByteBuffer?
  }

  private let version = Mutex<Version?>(nil)

  /// RFC 9110, 13.1.2: a list of tags or a star; a proxy that compresses has made them weak.
  private func isKnown(_ etag: String, to request: Request) -> Bool {
    (request.headers[.ifNoneMatch] ?? "").split(separator: ",").contains { tag in
      let tag = String(tag).trimmedLine
      return tag == "*" || tag == etag || tag == "W/" + etag
    }
  }

  func set(_ state: FeedState) { version.withLock { $0 = Version(state: state, body: nil) } }

  /// The list, "not modified", or, before ingest has told it, 503.
  func response(to request: Request) throws -> Response {
    let current: (etag: String, body: ByteBuffer)? = version.withLock { version in
      guard let state = version?.state else { return nil }
      let body = version?.body ?? ByteBuffer(bytes: state.json.bytes)
      version?.body = body
      return ("\"\(hexadecimal(state.hash, digits: 16))-\(state.seq)\"", body)
    }
    var headers: HTTPFields = [.contentType: "application/json", .accessControlAllowOrigin: "*"]
    headers[.cacheControl] = "no-cache"
    guard let current else {
      throw Problem(
        .serviceUnavailable, "feed_unavailable", "ingest has not told this feed the list yet; try again later",
        retryAfterSeconds: 2)
    }
    headers[.eTag] = current.etag
    if isKnown(current.etag, to: request) { return Response(status: .notModified, headers: headers) }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: current.body))
  }
}
