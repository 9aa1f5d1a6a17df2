package import Domain

/// A server-sent event of the feed (WHATWG HTML, 9.2).
package enum FeedEvent: Sendable {
  /// The whole list, or the part that a filter passes.
  ///
  /// - Parameter isStale: True if the list may be behind the store.
  case snapshot(FeedState, isStale: Bool)
  /// The changes, and the list after them.
  case delta(FeedDelta, FeedState)
  /// Staleness: true if the client's list may be behind the store.
  case stale(Bool)
  /// A comment, with which both ends detect a dead connection.
  case heartbeat
  /// Pause of a disconnected client before it reconnects, in milliseconds.
  case retry(ms: Int64)

  /// The event in UTF-8, with the empty line at the end. The JSON has no line breaks.
  package var bytes: [UInt8] {
    switch self {
    case .snapshot(let state, let isStale):
      Self.bytes("snapshot", EventID(epoch: state.epoch, seq: state.seq), state.json(isStale: isStale))
    case .delta(let delta, let state):
      Self.bytes("delta", EventID(epoch: state.epoch, seq: delta.seq), .object { delta.write(to: &$0, state) })
    case .stale(let isStale): Self.bytes("stale", nil, .object { $0.add("stale", isStale) })
    case .heartbeat: Array(": heartbeat\n\n".utf8)
    case .retry(let ms): Array("retry: \(ms)\n\n".utf8)
    }
  }

  private static func bytes(_ name: String, _ id: EventID?, _ data: JSONWriter) -> [UInt8] {
    let head = "event: \(name)\n" + (id.map { "id: \($0)\n" } ?? "") + "data: "
    return Array(head.utf8) + data.bytes + Array("\n\n".utf8)
  }
}

/// The id of an event, which names the list after it. A client that reconnects sends the last id that it received.
package struct EventID: Sendable, Hashable, CustomStringConvertible {
  /// Epoch of the list.
  package let epoch: Epoch
  /// Sequence number of the list.
  package let seq: UInt64

  /// Creates the id of a list.
  package init(epoch: Epoch, seq: UInt64) {
    self.epoch = epoch
    self.seq = seq
  }

  /// Parses a text in the form of `description`. Nil for any other text.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let epoch = [UInt8](hexadecimal: parts[0]).flatMap({ Epoch($0) }),
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seq = UInt64(parts[1])
    else { return nil }
    self.init(epoch: epoch, seq: seq)
  }

  /// The epoch's 32 hexadecimal digits, a hyphen, and the sequence number.
  package var description: String { "\(epoch)-\(seq)" }
}
