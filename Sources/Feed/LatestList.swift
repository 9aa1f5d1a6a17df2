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
    var log: ChangeLog
    var isStale = true
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

  /// The list as it stands; nil before there is one.
  var state: FeedState? { version.withLock { $0?.state } }

  /// The list after a start, a gap, or another history.
  func replace(_ state: FeedState) {
    version.withLock { version in
      let log = ChangeLog(state: state, kept: Limits.feedChangesKept)
      version = Version(state: state, log: log, isStale: version?.isStale ?? true)
    }
  }

  /// Changes of the list, and the list after them.
  func change(_ changes: [FeedChange], to state: FeedState) {
    version.withLock { version in
      version?.log.append(changes)
      version?.state = state
      version?.body = nil
    }
  }

  /// Whether ingest is silent. It begins stale.
  func set(isStale: Bool) {
    version.withLock { version in
      version?.isStale = isStale
      version?.body = nil
    }
  }

  /// The list, "not modified", or, before ingest has told it, 503.
  func response(to request: Request) throws -> Response {
    guard let current = version.withLock({ $0 }) else {
      throw Problem(
        .serviceUnavailable, "feed_unavailable", "ingest has not told this feed the list yet; try again later",
        retryAfterSeconds: 2)
    }
    let stale = current.isStale ? "-stale" : ""
    let etag = "\"\(current.state.epoch)-\(current.state.seq)\(stale)\""
    var headers: HTTPFields = [.contentType: "application/json", .accessControlAllowOrigin: "*"]
    headers[.cacheControl] = "no-cache"
    headers[.eTag] = etag
    if isKnown(etag, to: request) { return Response(status: .notModified, headers: headers) }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body(of: current)))
  }

  /// Not under the lock, which the reactor takes too: it must not wait while a list is written.
  private func body(of current: Version) -> ByteBuffer {
    if let body = current.body { return body }
    let body = ByteBuffer(bytes: current.state.json(isStale: current.isStale).bytes)
    version.withLock { version in
      guard let now = version, now.state.epoch == current.state.epoch, now.state.seq == current.state.seq,
        now.isStale == current.isStale
      else { return }
      version?.body = body
    }
    return body
  }
}
