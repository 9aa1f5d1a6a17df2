import OnTheMap
import SwiftProtobuf

/// The frames that carry the list and its changes to feeds and subscribers. There is one for every few posts, so they
/// are written from the rules' own values and read straight into them, field by field. What is unusual in one that is
/// read, is the generated code's; tests hold the two to the same bytes and values.
enum EntryFrame {
  /// What a feed tells its subscribers.
  enum Body {
    case snapshot(Onthemap_Feed_V1_SnapshotReason)
    case delta(FeedChange)
    case heartbeat
    case bye(reason: String)
  }

  /// A frame of the feed.
  ///
  /// - Parameters:
  ///   - state: the list, after the change if there is one.
  ///   - unixMs: the wall clock.
  static func feed(_ body: Body, _ state: FeedState, instance: String, unixMs: Int64) -> [UInt8] {
    var frame = FieldWriter()
    frame.version()
    frame.data(4, state.epoch.bytes)
    frame.number(5, state.seq)
    frame.fixed64(6, UInt64(bitPattern: unixMs))
    frame.text(7, instance)
    switch body {
    case .snapshot(let reason):
      frame.message(16) { snapshot in
        snapshot.number(1, UInt64(reason.rawValue))
        snapshot.number(2, UInt64(Limits.feedEntriesMax))
        for entry in state.entries { snapshot.entry(3, entry) }
        snapshot.fixed64(4, state.hash)
      }
    case .delta(let change):
      frame.message(17) { delta in
        delta.number(1, change.prevSeq)
        for entry in change.entries { delta.entry(2, entry) }
        for id in change.removed { delta.text(3, id.description) }
        delta.fixed64(4, state.hash)
      }
    case .heartbeat:
      frame.message(18) { heartbeat in
        heartbeat.number(1, UInt64(Limits.feedHeartbeatMs))
        heartbeat.fixed64(2, state.hash)
      }
    case .bye(let reason): frame.message(19) { $0.text(1, reason) }
    }
    return frame.bytes
  }

  /// Ingest's answer to a feed's fetch.
  static func reply(_ answer: ChangeLog.Answer, id: UInt64, epoch: Epoch) -> [UInt8] {
    var frame = FieldWriter()
    frame.version()
    frame.number(4, id)
    frame.data(5, epoch.bytes)
    switch answer {
    case .changes(let entries, let lastSeq):
      frame.number(6, lastSeq)
      frame.message(16) { changes in
        for entry in entries { changes.entry(1, entry) }
        for entry in entries {
          guard let traceparent = entry.trace?.description else { continue }
          changes.message(2) { trace in
            trace.number(1, entry.seq)
            trace.text(2, traceparent)
          }
        }
      }
    case .snapshot(let state):
      frame.number(6, state.seq)
      frame.message(17) { list in
        for entry in state.entries { list.entry(1, entry) }
        list.fixed64(2, state.hash)
      }
    }
    return frame.bytes
  }

  /// A delta of the feed; nil for any other frame, and where the generated code has to look.
  static func delta(_ bytes: [UInt8]) -> FeedReplica.Frame? {
    bytes.withUnsafeBytes { bytes in
      var frame = FieldReader(bytes)
      guard frame.isOfThisVersion(), case (4, .bytes(let epoch))? = frame.next(), let epoch = Epoch(epoch),
        case (5, .varint(let seq))? = frame.next(), case (6, .fixed64)? = frame.next(),
        case (7, .bytes(let instance))? = frame.next(), String(utf8: instance) != nil,
        case (17, .bytes(let body))? = frame.next(), frame.isAtEnd
      else { return nil }
      var delta = FieldReader(body)
      var (prevSeq, hash, entries): (UInt64, UInt64, [FeedEntry]) = (0, 0, [])
      while !delta.isAtEnd {
        switch delta.next() {
        case (1, .varint(let value))?: prevSeq = value
        case (2, .bytes(let bytes))?:
          guard let entry = FeedEntry(bytes) else { return nil }
          entries.append(entry)
        case (3, .bytes(let id))?: guard PostID(utf8: id) != nil else { return nil }
        case (4, .fixed64(let value))?: hash = value
        default: return nil
        }
      }
      return .delta(epoch: epoch, prevSeq: prevSeq, seq: seq, upsert: entries, hash: hash)
    }
  }

  /// Changes from ingest; nil for any other answer, and where the generated code has to look.
  static func changes(_ bytes: [UInt8]) -> (id: UInt64, epoch: Epoch, entries: [FeedEntry])? {
    bytes.withUnsafeBytes { bytes in
      var frame = FieldReader(bytes)
      guard frame.isOfThisVersion(), case (4, .varint(let id))? = frame.next(),
        case (5, .bytes(let epoch))? = frame.next(), let epoch = Epoch(epoch), case (6, .varint)? = frame.next(),
        case (16, .bytes(let body))? = frame.next(), frame.isAtEnd
      else { return nil }
      var changes = FieldReader(body)
      var (entries, traces): ([FeedEntry], [(seq: UInt64, traceparent: String)]) = ([], [])
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
        default: return nil
        }
      }
      return (id, epoch, entries.traced(traces))
    }
  }
}

extension [FeedEntry] {
  /// Each with its trace; one that is none is left out.
  func traced(_ traces: [(seq: UInt64, traceparent: String)]) -> [FeedEntry] {
    guard !traces.isEmpty else { return self }
    let known = Dictionary(traces.map { ($0.seq, TraceContext($0.traceparent)) }) { first, _ in first }
    return map { entry in known[entry.seq]?.map { entry.traced($0) } ?? entry }
  }
}

extension FieldWriter {
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
  /// Nil also where the generated code has to look.
  fileprivate convenience init?(_ bytes: UnsafeRawBufferPointer) {
    var fields = FieldReader(bytes)
    var id: PostID?
    var (seq, account, createdMs, updatedMs): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    var (firstName, lastName, place, label, countryCode, link) = ("", "", "", "", "", "")
    var (latitude, longitude): (Int32, Int32) = (0, 0)
    var agreement = Verdict.Agreement.found
    while !fields.isAtEnd {
      switch fields.next() {
      case (1, .bytes(let bytes))?:
        guard let name = PostID(utf8: bytes) else { return nil }
        id = name
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
