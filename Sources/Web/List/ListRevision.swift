package import Domain
import HTTPTypes
package import NIOCore
import Synchronization

/// The list after one change, with its encoded responses and events. Bytes that many clients need are encoded once, at
/// the first request. Any thread.
package final class ListRevision: Sendable {
  /// The list.
  package let state: FeedState
  /// True if the list may be behind the store.
  package let isStale: Bool
  /// Number of the revision. A later revision has a higher number.
  package let number: UInt64

  private struct BodyKey: Hashable {
    let filter: FeedFilter
    let coding: ContentCoding
  }

  private struct DeltaKey: Hashable {
    let filter: FeedFilter
    let sentSeq: UInt64
    let comparedSeq: UInt64
  }

  private let history: FeedHistory
  /// Strong entity tags, one for each coding (RFC 9110, 8.8.3).
  private let tags: (plain: String, gzip: String)
  private let heads: (plain: HTTPFields, gzip: HTTPFields)
  private let bodies = Mutex<[BodyKey: ByteBuffer]>([:])
  private let snapshots = Mutex<[FeedFilter: ByteBuffer]>([:])
  private let differences = Mutex<[UInt64: FeedDifference?]>([:])
  /// Encoded deltas. Nil where a filter passes no change.
  private let deltas = Mutex<[DeltaKey: ByteBuffer?]>([:])

  /// Creates a revision, without its encoded responses.
  ///
  /// - Parameter number: Number of the revision. Only streams need it.
  package init(_ history: FeedHistory, isStale: Bool, number: UInt64 = 0) {
    self.history = history
    state = history.state
    self.isStale = isStale
    self.number = number
    let tag = "\(state.epoch)-\(state.seq)\(isStale ? "-stale" : "")"
    tags = ("\"\(tag)\"", "\"\(tag)-gzip\"")
    let head: HTTPFields = [.contentType: "application/json", .cacheControl: "no-cache", .vary: "Accept-Encoding"]
    heads = (
      head + [HTTPField(name: .eTag, value: tags.plain)],
      head + [HTTPField(name: .eTag, value: tags.gzip), HTTPField(name: .contentEncoding, value: "gzip")]
    )
  }

  /// Returns the headers of a 200 response in this coding, or of a 304.
  func headers(_ coding: ContentCoding) -> HTTPFields { coding == .gzip ? heads.gzip : heads.plain }

  /// True if a client's `If-None-Match` names this list, in any coding.
  ///
  /// RFC 9110, 13.1.2: the header is a list of tags, or a star. A proxy that compresses makes tags weak.
  func matches(ifNoneMatch tags: String) -> Bool {
    tags.split(separator: ",").contains { tag in
      let tag = String(tag).trimmedLine
      return tag == "*" || [self.tags.plain, self.tags.gzip].contains { tag == $0 || tag == "W/" + $0 }
    }
  }

  /// Returns the list as a response body, and its coding. Concurrent requests for the whole list wait for the same
  /// bytes.
  func body(_ filter: FeedFilter, _ coding: ContentCoding) -> (ByteBuffer, ContentCoding) {
    let plain = Self.cached(in: bodies, BodyKey(filter: filter, coding: .identity), isShared: filter.isAll) {
      ByteBuffer(bytes: state.filtered(filter).json(isStale: isStale).bytes)
    }
    guard coding == .gzip else { return (plain, .identity) }
    let compressed = Self.cached(in: bodies, BodyKey(filter: filter, coding: .gzip), isShared: filter.isAll) {
      plain.gzip() ?? ByteBuffer()
    }
    // An empty body means that the compression failed.
    return compressed.readableBytes == 0 ? (plain, .identity) : (compressed, .gzip)
  }

  /// Returns the events that a stream at the cursor lacks, and moves the cursor to this revision.
  package func events(after cursor: inout StreamCursor, _ filter: FeedFilter) -> [ByteBuffer] {
    guard cursor.revision < number else { return [] }
    cursor.revision = number
    var buffers: [ByteBuffer] = []
    if let sent = cursor.lastSent, sent.epoch == state.epoch, let delta = delta(cursor, sentSeq: sent.seq, filter) {
      if let delta = delta.event {
        buffers.append(delta)
        cursor.lastSent = EventID(epoch: state.epoch, seq: state.seq)
      }
      if cursor.isStale != isStale { buffers.append(isStale ? Self.stale : Self.fresh) }
    } else {
      buffers.append(snapshot(filter))
      cursor.lastSent = EventID(epoch: state.epoch, seq: state.seq)
    }
    cursor.comparedSeq = state.seq
    cursor.isStale = isStale
    return buffers
  }

  private func snapshot(_ filter: FeedFilter) -> ByteBuffer {
    Self.cached(in: snapshots, filter, isShared: filter.isAll) {
      ByteBuffer(bytes: FeedEvent.snapshot(state.filtered(filter), isStale: isStale).bytes)
    }
  }

  /// Returns the delta for a stream. Nil if the feed no longer knows the list of the last comparison. The event is nil
  /// if the filter passes no change.
  private func delta(_ cursor: StreamCursor, sentSeq: UInt64, _ filter: FeedFilter) -> (event: ByteBuffer?, Void)? {
    if cursor.comparedSeq == state.seq { return (nil, ()) }
    let difference = Self.cached(in: differences, cursor.comparedSeq, isShared: filter.isAll) {
      history.list(at: cursor.comparedSeq).map { FeedDifference(from: $0, to: state) }
    }
    guard let difference else { return nil }
    let key = DeltaKey(filter: filter, sentSeq: sentSeq, comparedSeq: cursor.comparedSeq)
    let event = Self.cached(in: deltas, key, isShared: filter.isAll) {
      difference.delta(after: sentSeq, filter: filter).map {
        ByteBuffer(bytes: FeedEvent.delta($0, state.filtered(filter)).bytes)
      }
    }
    return (event, ())
  }

  /// Returns a cached value, or makes it.
  ///
  /// - Parameter isShared: True for values of the whole list. One caller makes a value while the others wait, and the
  ///   cache always has space for it. Filtered values differ per client. They get only half of the cache, and no caller
  ///   waits for them.
  static func cached<Key: Hashable & Sendable, Value: Sendable>(
    in cache: borrowing Mutex<[Key: Value]>, _ key: Key, isShared: Bool, _ make: () -> Value
  ) -> Value {
    if isShared {
      return cache.withLock { cache in
        if let value = cache[key] { return value }
        let value = make()
        if cache.count < 2 * Limits.cachedBodiesMax { cache[key] = value }
        return value
      }
    }
    if let value = cache.withLock({ $0[key] }) { return value }
    let value = make()
    cache.withLock { if $0.count < Limits.cachedBodiesMax { $0[key] = value } }
    return value
  }

  private static let stale = ByteBuffer(bytes: FeedEvent.stale(true).bytes)
  private static let fresh = ByteBuffer(bytes: FeedEvent.stale(false).bytes)
}

/// The state of a stream: all that the feed stores for the stream's client, however slowly the client reads.
package struct StreamCursor: Sendable {
  /// The last event that the client has. Nil before the first event.
  fileprivate(set) var lastSent: EventID?
  /// Sequence number of the list of the last comparison. It is above that of `lastSent` if the filter passed no change.
  fileprivate(set) var comparedSeq: UInt64
  /// The last staleness that this stream sent. Nil before that.
  fileprivate(set) var isStale: Bool?
  /// Number of the revision of the last comparison.
  fileprivate(set) var revision: UInt64 = 0

  /// Creates a cursor.
  ///
  /// - Parameter last: The last event that the client says it has. Nil if it has none.
  package init(last: EventID?) {
    lastSent = last
    comparedSeq = last?.seq ?? 0
  }
}
