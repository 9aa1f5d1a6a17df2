import Domain

/// Server-sent event of the feed. (WHATWG HTML, 9.2.)
enum FeedEvent: Sendable {
  /// The whole list, or what a filter leaves of it.
  ///
  /// - Parameter isStale: whether it may be behind what is stored.
  case snapshot(FeedState, isStale: Bool)
  /// What has changed, and the list afterwards.
  case delta(FeedDelta, FeedState)
  /// Whether what was told may be behind what is stored.
  case stale(Bool)
  /// Nothing, so that both ends see that the other one is there.
  case heartbeat
  /// How long a client that was cut off waits before it comes again.
  case retry(ms: Int64)

  /// UTF-8, with the empty line at the end. JSON as written here has no line ends within.
  var bytes: [UInt8] {
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

/// Id of an event: the list that it makes. A client that comes again names the latest that it has seen.
struct EventID: Sendable, Hashable, CustomStringConvertible {
  let epoch: Epoch
  /// Latest change of the list.
  let seq: UInt64

  init(epoch: Epoch, seq: UInt64) {
    self.epoch = epoch
    self.seq = seq
  }

  /// As `description` writes it; nil when it is something else.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let epoch = [UInt8](hexadecimal: parts[0]).flatMap({ Epoch($0) }),
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seq = UInt64(parts[1])
    else { return nil }
    self.init(epoch: epoch, seq: seq)
  }

  /// The epoch's 32 hexadecimal digits, a hyphen, and the number.
  var description: String { "\(epoch)-\(seq)" }
}
