import Domain
import SwiftProtobuf

/// A codec for the frames that carry the list and its changes to feeds and subscribers.
///
/// There is a frame for every few posts, so the codec converts directly between bytes and the domain's values, field by
/// field. The generated code reads unusual frames. Tests check that both give the same bytes and values.
enum FeedCodec {
  /// A feed's message to its subscribers.
  enum Body {
    case snapshot(Onthemap_Feed_V1_SnapshotReason)
    case delta(FeedDelta)
    case heartbeat(minAfterSeq: UInt64)
    case bye(reason: String, failoverEndpoints: [Endpoint])
  }

  /// Returns a frame of the feed.
  ///
  /// - Parameters:
  ///   - state: The list, after the change if there is one.
  ///   - hash: Hash of the list. Nil if the caller has not computed it.
  ///   - isStale: True if the list may be behind ingest.
  ///   - unixMs: wall-clock time, in milliseconds since 1970.
  static func feed(
    _ body: Body, _ state: FeedState, hash: UInt64? = nil, isStale: Bool = false, instance: String, unixMs: Int64
  ) -> [UInt8] {
    var frame = FieldWriter()
    frame.version()
    frame.data(4, state.epoch.bytes)
    frame.number(5, state.seq)
    frame.fixed64(6, UInt64(bitPattern: unixMs))
    frame.text(7, instance)
    frame.number(8, isStale ? 1 : 0)
    let hash = hash ?? state.hash
    switch body {
    case .snapshot(let reason): frame.message(16) { $0.snapshot(reason, state, hash: hash) }
    case .delta(let delta): frame.message(17) { $0.delta(delta, hash: hash) }
    case .heartbeat(let minAfterSeq):
      frame.message(18) { heartbeat in
        heartbeat.number(1, UInt64(Limits.feedHeartbeatMs))
        heartbeat.fixed64(2, hash)
        heartbeat.number(3, minAfterSeq)
      }
    case .bye(let reason, let failoverEndpoints):
      frame.message(19) { bye in
        bye.text(1, reason)
        for endpoint in failoverEndpoints { bye.text(3, endpoint.description) }
      }
    }
    return frame.bytes
  }

  /// The reply of a feed that has a list.
  enum QueryReply {
    case snapshot
    case delta(FeedDelta)
    case notModified
  }

  /// Returns the frame of a feed's reply to a query.
  static func queryReply(_ reply: QueryReply, _ state: FeedState, isStale: Bool, id: UInt64) -> [UInt8] {
    var frame = FieldWriter()
    frame.version()
    frame.number(4, id)
    frame.data(5, state.epoch.bytes)
    frame.number(6, state.seq)
    frame.number(7, isStale ? 1 : 0)
    switch reply {
    case .snapshot: frame.message(16) { $0.snapshot(.query, state, hash: state.hash) }
    case .delta(let delta): frame.message(17) { $0.delta(delta, hash: state.hash) }
    case .notModified: frame.message(18) { _ in }
    }
    return frame.bytes
  }

  /// Returns the frame of ingest's reply to a feed's fetch.
  ///
  /// - Parameter generation: Number of ingest's start. 0 for none.
  static func reply(
    _ result: ChangeLog.FetchResult, id: UInt64, epoch: Epoch, generation: UInt32 = 0
  ) -> [UInt8] {
    var frame = FieldWriter()
    frame.version()
    frame.number(4, id)
    frame.data(5, epoch.bytes)
    switch result {
    case .changes(let changes, let lastSeq, let hash):
      frame.number(6, lastSeq)
      frame.number(7, UInt64(generation))
      frame.message(16) { $0.changes(changes, hash: hash) }
    case .snapshot(let state):
      frame.number(6, state.seq)
      frame.number(7, UInt64(generation))
      frame.message(17) { list in
        for entry in state.entries { list.entry(1, entry) }
        list.fixed64(2, state.hash)
      }
    }
    return frame.bytes
  }

  /// Decodes a delta of the feed. Nil for any other frame, and for a frame that only the generated code can read.
  static func delta(_ bytes: [UInt8]) -> FeedReplica.Frame? {
    bytes.withUnsafeBytes { bytes in
      var frame = FieldReader(bytes)
      guard frame.isOfThisVersion(), case (4, .bytes(let epoch))? = frame.next(), let epoch = Epoch(epoch),
        case (5, .varint(let seq))? = frame.next(), case (6, .fixed64)? = frame.next(),
        case (7, .bytes(let instance))? = frame.next(), String(utf8: instance) != nil,
        case (17, .bytes(let body))? = frame.next(), frame.isAtEnd
      else { return nil }
      var fields = FieldReader(body)
      var (prevSeq, hash, entries, removed): (UInt64, UInt64, [FeedEntry], [PostID]) = (0, 0, [], [])
      while !fields.isAtEnd {
        switch fields.next() {
        case (1, .varint(let value))?: prevSeq = value
        case (2, .bytes(let bytes))?:
          guard let entry = FeedEntry(bytes) else { return nil }
          entries.append(entry)
        case (3, .bytes(let bytes))?:
          guard let id = PostID(utf8: bytes) else { return nil }
          removed.append(id)
        case (4, .fixed64(let value))?: hash = value
        default: return nil
        }
      }
      let delta = FeedDelta(prevSeq: prevSeq, seq: seq, upsert: entries, remove: removed)
      return .delta(delta, epoch: epoch, hash: hash)
    }
  }

  /// Changes from ingest. The generation is 0 if the reply has none.
  typealias ChangesReply = (id: UInt64, epoch: Epoch, generation: UInt64, changes: [FeedChange], hash: UInt64?)

  /// Decodes changes from ingest. Nil for any other reply, and for a reply that only the generated code can read.
  static func changes(_ bytes: [UInt8]) -> ChangesReply? {
    bytes.withUnsafeBytes { bytes in
      var frame = FieldReader(bytes)
      guard frame.isOfThisVersion(), case (4, .varint(let id))? = frame.next(),
        case (5, .bytes(let epoch))? = frame.next(), let epoch = Epoch(epoch), case (6, .varint)? = frame.next()
      else { return nil }
      var (field, generation) = (frame.next(), UInt64(0))
      if case (7, .varint(let value))? = field { (field, generation) = (frame.next(), value) }
      guard case (16, .bytes(let body))? = field, frame.isAtEnd else { return nil }
      var changes = FieldReader(body)
      var (entries, traces): ([FeedEntry], [(seq: UInt64, traceparent: String)]) = ([], [])
      var hash: UInt64?
      while !changes.isAtEnd {
        switch changes.next() {
        case (1, .bytes(let bytes))?:
          guard let entry = FeedEntry(bytes) else { return nil }
          entries.append(entry)
        case (2, .bytes(let bytes))?:
          var trace = FieldReader(bytes)
          guard case (1, .varint(let seq))? = trace.next(), case (2, .bytes(let text))? = trace.next(), trace.isAtEnd,
            let text = String(utf8: text)
          else { return nil }
          traces.append((seq, text))
        case (4, .fixed64(let value))?: hash = value
        default: return nil
        }
      }
      return (id, epoch, generation, entries.traced(traces).map { .upsert($0) }, hash)
    }
  }
}

extension [FeedEntry] {
  /// Returns each entry with its trace. An invalid trace is omitted.
  func traced(_ traces: [(seq: UInt64, traceparent: String)]) -> [FeedEntry] {
    guard !traces.isEmpty else { return self }
    let known = Dictionary(traces.map { ($0.seq, TraceContext($0.traceparent)) }) { first, _ in first }
    return map { entry in known[entry.seq]?.map { entry.traced($0) } ?? entry }
  }
}

extension FieldWriter {
  fileprivate mutating func snapshot(_ reason: Onthemap_Feed_V1_SnapshotReason, _ state: FeedState, hash: UInt64) {
    number(1, UInt64(reason.rawValue))
    number(2, UInt64(Limits.feedEntriesMax))
    for entry in state.entries { self.entry(3, entry) }
    fixed64(4, hash)
  }

  fileprivate mutating func delta(_ delta: FeedDelta, hash: UInt64) {
    number(1, delta.prevSeq)
    for entry in delta.upsert { self.entry(2, entry) }
    for id in delta.remove { text(3, id.description) }
    fixed64(4, hash)
  }

  fileprivate mutating func changes(_ changes: [FeedChange], hash: UInt64?) {
    for case .upsert(let entry) in changes { self.entry(1, entry) }
    for case .upsert(let entry) in changes {
      guard let traceparent = entry.trace?.description else { continue }
      message(2) { trace in
        trace.number(1, entry.seq)
        trace.text(2, traceparent)
      }
    }
    for case .remove(let id, let seq, let backfill) in changes {
      message(3) { removal in
        removal.number(1, seq)
        removal.text(2, id.description)
        if let backfill { removal.entry(3, backfill) }
      }
    }
    if let hash { fixed64(4, hash) }
  }

  fileprivate mutating func entry(_ field: UInt8, _ entry: FeedEntry) {
    message(field) { fields in
      fields.text(1, entry.id.description)
      fields.number(2, entry.seq)
      fields.number(3, UInt64(bitPattern: entry.account.rawValue))
      fields.text(4, entry.firstName)
      fields.text(5, entry.lastName)
      fields.text(6, entry.place)
      fields.text(7, entry.label)
      fields.text(8, entry.countryCode)
      fields.text(9, entry.link)
      fields.signed(10, entry.coordinate.latitudeE7)
      fields.signed(11, entry.coordinate.longitudeE7)
      fields.number(12, UInt64(entry.agreement.rawValue))
      fields.fixed64(13, UInt64(bitPattern: entry.createdMs))
      fields.fixed64(14, UInt64(bitPattern: entry.updatedMs))
    }
  }
}

extension FeedEntry {
  /// Decodes an entry. Nil also for an entry that only the generated code can read.
  fileprivate convenience init?(_ bytes: UnsafeRawBufferPointer) {
    var fields = FieldReader(bytes)
    var id: PostID?
    var (seq, account, createdMs, updatedMs): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    var (firstName, lastName, place, label, countryCode, link) = ("", "", "", "", "", "")
    var (latitude, longitude): (Int32, Int32) = (0, 0)
    var agreement = Verdict.Agreement.notGiven
    while !fields.isAtEnd {
      switch fields.next() {
      case (1, .bytes(let bytes))?:
        guard let postID = PostID(utf8: bytes) else { return nil }
        id = postID
      case (2, .varint(let value))?: seq = value
      case (3, .varint(let value))?: account = value
      case (4, .bytes(let bytes))?: guard firstName.read(bytes) else { return nil }
      case (5, .bytes(let bytes))?: guard lastName.read(bytes) else { return nil }
      case (6, .bytes(let bytes))?: guard place.read(bytes) else { return nil }
      case (7, .bytes(let bytes))?: guard label.read(bytes) else { return nil }
      case (8, .bytes(let bytes))?: guard countryCode.read(bytes) else { return nil }
      case (9, .bytes(let bytes))?: guard link.read(bytes) else { return nil }
      case (10, .varint(let value))?:
        guard let number = Int32(zigzag: value) else { return nil }
        latitude = number
      case (11, .varint(let value))?:
        guard let number = Int32(zigzag: value) else { return nil }
        longitude = number
      case (12, .varint(let value))?:
        guard let known = UInt8(exactly: value).flatMap(Verdict.Agreement.init) else { return nil }
        agreement = known
      case (13, .fixed64(let value))?: createdMs = value
      case (14, .fixed64(let value))?: updatedMs = value
      default: return nil
      }
    }
    guard let id, let coordinate = Coordinate(latitudeE7: latitude, longitudeE7: longitude),
      max(createdMs, updatedMs) <= Protocol.unixMsMax
    else { return nil }
    self.init(
      id: id, seq: seq, account: AccountID(rawValue: Int64(bitPattern: account)), firstName: firstName,
      lastName: lastName, place: place, label: label, countryCode: countryCode, link: link, coordinate: coordinate,
      agreement: agreement, createdMs: Int64(bitPattern: createdMs), updatedMs: Int64(bitPattern: updatedMs))
  }
}
