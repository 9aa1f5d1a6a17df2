import Domain
import HTTPTypes
import NIOCore
import Synchronization
import Web

/// The list as it stood after one change, with its bytes: those that many ask for are made once, when they are first
/// asked for. Any thread.
final class ListRevision: Sendable {
  let state: FeedState
  let isStale: Bool
  /// Rises from version to version.
  let number: UInt64

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
  /// RFC 9110, 8.8.3: each form has a strong one of its own.
  private let tags: (plain: String, gzip: String)
  private let heads: (plain: HTTPFields, gzip: HTTPFields)
  private let bodies = Mutex<[BodyKey: ByteBuffer]>([:])
  private let snapshots = Mutex<[FeedFilter: ByteBuffer]>([:])
  private let differences = Mutex<[UInt64: FeedDifference?]>([:])
  /// Nil where there is nothing to tell.
  private let deltas = Mutex<[DeltaKey: ByteBuffer?]>([:])

  init(_ history: FeedHistory, isStale: Bool, number: UInt64) {
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

  /// Of an answer with the list in that form, or with the word that it is known.
  func headers(_ coding: ContentCoding) -> HTTPFields { coding == .gzip ? heads.gzip : heads.plain }

  /// Whether a client that sends this `If-None-Match` has the list, in whichever form.
  ///
  /// RFC 9110, 13.1.2: a list of tags or a star; a proxy that compresses has made them weak.
  func isAmong(_ known: String) -> Bool {
    known.split(separator: ",").contains { tag in
      let tag = String(tag).trimmedLine
      return tag == "*" || [tags.plain, tags.gzip].contains { tag == $0 || tag == "W/" + $0 }
    }
  }

  /// The list as an answer. Whoever asks for all of it meanwhile waits for the same bytes.
  func body(_ filter: FeedFilter, _ coding: ContentCoding) -> (ByteBuffer, ContentCoding) {
    let plain = Self.made(in: bodies, BodyKey(filter: filter, coding: .identity), isShared: filter.isAll) {
      ByteBuffer(bytes: state.filtered(filter).json(isStale: isStale).bytes)
    }
    guard coding == .gzip else { return (plain, .identity) }
    let packed = Self.made(in: bodies, BodyKey(filter: filter, coding: .gzip), isShared: filter.isAll) {
      plain.gzip() ?? ByteBuffer()
    }
    // There was no memory for it.
    return packed.readableBytes == 0 ? (plain, .identity) : (packed, .gzip)
  }

  /// What a subscriber has to be told who stands at the cursor, which then stands here.
  func events(after cursor: inout StreamCursor, _ filter: FeedFilter) -> [ByteBuffer] {
    guard cursor.version < number else { return [] }
    cursor.version = number
    var buffers: [ByteBuffer] = []
    if let told = cursor.lastSent, told.epoch == state.epoch, let delta = delta(cursor, told: told.seq, filter) {
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
    Self.made(in: snapshots, filter, isShared: filter.isAll) {
      ByteBuffer(bytes: FeedEvent.snapshot(state.filtered(filter), isStale: isStale).bytes)
    }
  }

  /// Nil where what the subscriber has seen is not known any more.
  private func delta(_ cursor: StreamCursor, told: UInt64, _ filter: FeedFilter) -> (event: ByteBuffer?, Void)? {
    if cursor.comparedSeq == state.seq { return (nil, ()) }
    let difference = Self.made(in: differences, cursor.comparedSeq, isShared: filter.isAll) {
      history.list(at: cursor.comparedSeq).map { FeedDifference(from: $0, to: state) }
    }
    guard let difference else { return nil }
    let key = DeltaKey(filter: filter, sentSeq: told, comparedSeq: cursor.comparedSeq)
    let event = Self.made(in: deltas, key, isShared: filter.isAll) {
      difference.delta(after: told, filter: filter).map {
        ByteBuffer(bytes: FeedEvent.delta($0, state.filtered(filter)).bytes)
      }
    }
    return (event, ())
  }

  /// - Parameter isShared: whether it is of the whole list. Such bytes are made once, whoever asks for them meanwhile
  ///   waits, and there is always room for them: parts of the list, of which each client may have its own, must not
  ///   push out what most ask for, nor be waited for while they are made.
  static func made<Key: Hashable & Sendable, Value: Sendable>(
    in kept: borrowing Mutex<[Key: Value]>, _ key: Key, isShared: Bool, _ make: () -> Value
  ) -> Value {
    if isShared {
      return kept.withLock { kept in
        if let value = kept[key] { return value }
        let value = make()
        if kept.count < 2 * Limits.cachedBodiesMax { kept[key] = value }
        return value
      }
    }
    if let value = kept.withLock({ $0[key] }) { return value }
    let value = make()
    kept.withLock { if $0.count < Limits.cachedBodiesMax { $0[key] = value } }
    return value
  }

  private static let stale = ByteBuffer(bytes: FeedEvent.stale(true).bytes)
  private static let fresh = ByteBuffer(bytes: FeedEvent.stale(false).bytes)
}

/// Where the subscriber of a stream stands: all that is known of it, however slowly it reads.
struct StreamCursor: Sendable {
  /// The last event that it has; nil before the first.
  fileprivate(set) var lastSent: EventID?
  /// The list that it was last compared with: later than the one that it was told where its filter let nothing pass.
  fileprivate(set) var comparedSeq: UInt64
  /// Nil where it may believe either.
  fileprivate(set) var isStale: Bool?
  /// Of the last version that it was compared with.
  fileprivate(set) var version: UInt64 = 0

  /// - Parameter last: what it says that it has seen; nil where it has seen nothing.
  init(last: EventID?) {
    lastSent = last
    comparedSeq = last?.seq ?? 0
  }
}
