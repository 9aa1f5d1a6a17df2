import Domain
import FoundationEssentials
import SwiftProtobuf

extension SubscriberProbe.ReceivedMessage {
  /// Decodes a subscription. Nil for any other message, which libzmq delivers too.
  package init?(_ frames: [[UInt8]]) {
    guard frames.count == 1, let first = frames[0].first, first <= 1 else { return nil }
    let subject = SubscriberProbe.Subject(topic: String(decoding: frames[0].dropFirst(), as: UTF8.self))
    self = first == 1 ? .subscribed(subject) : .unsubscribed(subject)
  }
}

extension SubscriberProbe.Subject {
  fileprivate init(topic: String) {
    let join = Topic.join("").dropLast()
    switch topic {
    case Topic.delta: self = .delta
    case Topic.heartbeat: self = .heartbeat
    case _ where topic.hasPrefix(join) && topic.hasSuffix("/"):
      self = .join(String(topic.dropFirst(join.count).dropLast()))
    default: self = .other(topic)
    }
  }

  fileprivate var topic: [UInt8] {
    switch self {
    case .delta: Array(Topic.delta.utf8)
    case .heartbeat: Array(Topic.heartbeat.utf8)
    case .join(let nonce): Array(Topic.join(nonce).utf8)
    case .other(let topic): Array(topic.utf8)
    }
  }
}

extension SubscriberProbe.Stimulus {
  /// The messages to send. A well-formed message has a topic and a frame.
  package var messages: [[[UInt8]]] {
    switch body {
    case .frame(let frame, let form): [[subject.topic, SubscriberProbe.bytes(frame) + form.bytes]]
    case .unknownBody(let epoch):
      [[subject.topic, FeedFrame.with { $0.begin(epoch) }.bytes + SubscriberProbe.Form.laterMinor.bytes]]
    case .malformed(let list): SubscriberProbe.malformed(after: list).map { [subject.topic] + $0 }
    }
  }
}

extension SubscriberProbe.Form {
  /// Bytes to append to a frame. Protobuf reads the last minor version in a frame.
  fileprivate var bytes: [UInt8] {
    var suffix = FieldWriter()
    if self == .laterMinor { suffix.number(3, UInt64(Protocol.minor + 1)) }
    if self != .plain { suffix.message(99) { $0.text(1, "of a later minor version") } }
    return suffix.bytes
  }
}

extension SubscriberProbe {
  private static let instance = "onthemap conformance"

  fileprivate static func bytes(_ frame: FeedReplica.Frame) -> [UInt8] {
    switch frame {
    case .snapshot(let list, let hash, let isStale):
      FeedCodec.feed(.snapshot(.join), list, hash: hash, isStale: isStale, instance: instance, unixMs: 0)
    case .delta(let delta, let epoch, let hash):
      FeedCodec.feed(
        .delta(delta), FeedState(epoch: epoch, seq: delta.seq, entries: []), hash: hash, instance: instance, unixMs: 0)
    case .heartbeat(let epoch, let seq, let hash, let isStale):
      FeedCodec.feed(
        .heartbeat(minAfterSeq: seq), FeedState(epoch: epoch, seq: seq, entries: []), hash: hash, isStale: isStale,
        instance: instance, unixMs: 0)
    case .bye(let reason, let failoverEndpoints, let retryAfterMs):
      FeedFrame.with {
        $0.begin(nil)
        $0.bye = .with {
          ($0.reason, $0.failoverEndpoints, $0.retryAfterMs) = (
            reason, failoverEndpoints, UInt32(clamping: retryAfterMs)
          )
        }
      }.bytes
    case .unknown: []
    }
  }

  /// Returns malformed messages, without their topics.
  fileprivate static func malformed(after list: FeedState) -> [[[UInt8]]] {
    let ahead = FeedFrame.with {
      $0.begin(list.epoch)
      $0.seq = list.seq + 5
      $0.heartbeat = .with { $0.stateHash = 1 }
    }
    func changed(_ change: (inout FeedFrame) -> Void) -> [UInt8] {
      var frame = ahead
      change(&frame)
      return frame.bytes
    }
    func delta(_ change: (inout Onthemap_Feed_V1_Entry) -> Void) -> [UInt8] {
      var entry = Onthemap_Feed_V1_Entry.with { ($0.postID, $0.seq) = ("0123456789", list.seq + 1) }
      change(&entry)
      return changed {
        $0.seq = list.seq + 1
        $0.delta = .with { delta in
          delta.prevSeq = list.seq
          delta.upsert = [entry]
          delta.stateHash = hash(of: entry, before: list)
        }
      }
    }
    return [
      [], [[]], [Array(repeating: 0xFF, count: 40)], [Array(ahead.bytes.dropLast())], [ahead.bytes, []],
      [changed { $0.magic = 0x3154_4D4F }], [changed { $0.major = Protocol.major + 1 }],
      [changed { $0.epoch.removeLast() }], [changed { $0.body = nil }],
      [delta { $0.postID = "01234567-9" }], [delta { $0.postID = "012345678" }], [delta { $0.latE7 = 900_000_001 }],
      [delta { $0.lonE7 = -1_800_000_001 }],
    ]
  }

  /// Returns the hash that a subscriber computes if it does not validate the entry.
  private static func hash(of entry: Onthemap_Feed_V1_Entry, before list: FeedState) -> UInt64 {
    var hash = FNV1a()
    let rest = list.entries.prefix(Limits.feedEntriesMax - 1).map { ($0.id.description, $0.seq) }
    for (id, seq) in [(entry.postID, entry.seq)] + rest {
      for byte in id.utf8 { hash.add(byte) }
      hash.add(littleEndian: seq)
    }
    return hash.value
  }
}

extension FeedFrame {
  fileprivate mutating func begin(_ epoch: Epoch?) {
    (magic, major, minor) = (Protocol.magic, Protocol.major, Protocol.minor)
    self.epoch = Data(epoch?.bytes ?? Array(repeating: 0, count: 16))
  }
}
