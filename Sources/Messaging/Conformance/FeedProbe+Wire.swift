import Domain
import FoundationEssentials
import SwiftProtobuf

extension FeedProbe.ReceivedMessage {
  /// Decodes a message on the change log.
  ///
  /// - Parameter frames: Frames of the message, without ZeroMQ's routing id.
  package init(fetch frames: [[UInt8]], connection: Int) {
    guard frames.count == 1, let bytes = frames.first else {
      self = .badFetch("a message of \(frames.count) frames")
      return
    }
    guard let wire = try? FetchRequest(serializedBytes: bytes) else {
      self = .badFetch("a frame that is not a FetchRequest")
      return
    }
    guard wire.magic == Protocol.magic, wire.major == Protocol.major, wire.minor == Protocol.minor else {
      self = .badFetch("magic \(hexadecimal(UInt64(wire.magic), digits: 8)), version \(wire.major).\(wire.minor)")
      return
    }
    self = .fetch(
      FeedProbe.Fetch(
        connection: connection, id: wire.requestID, feed: wire.feed, epoch: Array(wire.epoch), afterSeq: wire.afterSeq,
        max: Int(wire.max), waitMs: Int64(wire.waitMs)))
  }

  /// Decodes a published message.
  ///
  /// - Parameter frames: Frames of the message.
  package init(published frames: [[UInt8]], subscriber: Int) {
    guard frames.count == 2 else {
      self = .badFrame("a message of \(frames.count) frames")
      return
    }
    guard let subject = FeedProbe.Subject(topic: frames[0]) else {
      self = .badFrame("a frame on the topic \"\(String(decoding: frames[0], as: UTF8.self))\"")
      return
    }
    if let frame = FeedFrame.read(frames[1]), frame != .unknown {
      self = .published(subscriber: subscriber, subject, frame)
    } else {
      self = .badFrame("a frame on \(subject) that cannot be read")
    }
  }

  /// Decodes the feed's reply to a query.
  ///
  /// - Parameter frames: Frames of the message.
  package init(reply frames: [[UInt8]]) {
    guard frames.count == 1, let reply = try? FeedReply(serializedBytes: frames[0]), reply.magic == Protocol.magic,
      reply.major == Protocol.major
    else {
      self = .reply(id: 0, .unreadable)
      return
    }
    self = .reply(id: reply.requestID, FeedProbe.Reply(reply))
  }
}

extension FeedProbe.Reply {
  fileprivate init(_ reply: FeedReply) {
    switch reply.body {
    case .snapshot(let snapshot):
      let state = Epoch(reply.epoch).flatMap { snapshot.state($0, reply.seq) }
      self = state.map { .snapshot($0, hash: snapshot.stateHash) } ?? .unreadable
    case .delta(let message):
      guard let epoch = Epoch(reply.epoch), let delta = message.delta(to: reply.seq) else {
        self = .unreadable
        return
      }
      self = .delta(delta, epoch, hash: message.stateHash)
    case .notModified: self = .notModified
    case .error: self = .error
    case nil: self = .unreadable
    }
  }
}

extension FeedProbe.Subject {
  private static let prefix = Topic.snapshot.dropLast(2)

  fileprivate init?(topic: [UInt8]) {
    let text = String(decoding: topic, as: UTF8.self)
    guard text.hasPrefix(Self.prefix) else { return nil }
    let rest = text.dropFirst(Self.prefix.count)
    switch rest {
    case "s/": self = .snapshot
    case "d/": self = .delta
    case "h/": self = .heartbeat
    case _ where Topic.join(in: topic) != nil: self = .join(String(rest.dropFirst(2).dropLast()))
    default: self = .other(String(rest))
    }
  }

  /// The topic as text for a subscription.
  package var topic: String {
    switch self {
    case .snapshot: Topic.snapshot
    case .delta: Topic.delta
    case .heartbeat: Topic.heartbeat
    case .join(let nonce): Topic.join(nonce)
    case .other(let rest): Self.prefix + rest
    }
  }
}

extension FeedProbe.Stimulus {
  /// Messages for the change log. A well-formed message has one frame.
  package var replies: [[[UInt8]]] {
    switch self {
    case .reply(let id, let epoch, let result): [[FeedCodec.reply(result, id: id, epoch: epoch)]]
    case .wrongList(let id, let list):
      [[FeedProbe.changed(id, .snapshot(list), list.epoch) { $0.snapshot.stateHash ^= 1 }]]
    case .malformed(let id, let epoch, let entry):
      malformed(id, .changes([.upsert(entry)], lastSeq: entry.seq, hash: nil), epoch)
    case .subscribe, .query: []
    }
  }

  private func malformed(_ id: UInt64, _ result: ChangeLog.FetchResult, _ epoch: Epoch) -> [[[UInt8]]] {
    let whole = FeedCodec.reply(result, id: id, epoch: epoch)
    return [
      [[]], [Array(repeating: 0xFF, count: 40)], [Array(whole.dropLast())], [whole, []],
      [FeedProbe.changed(id, result, epoch) { $0.magic = 0x3154_4D4F }],
      [FeedProbe.changed(id, result, epoch) { $0.major = Protocol.major + 1 }],
    ]
  }
}

extension FeedProbe {
  fileprivate static func changed(
    _ id: UInt64, _ result: ChangeLog.FetchResult, _ epoch: Epoch, _ change: (inout FetchReply) -> Void
  ) -> [UInt8] {
    guard var reply = try? FetchReply(serializedBytes: FeedCodec.reply(result, id: id, epoch: epoch)) else {
      return []
    }
    change(&reply)
    return reply.bytes
  }
}

extension FeedProbe.Query {
  /// Returns the frame of the query.
  package func bytes(id: UInt64) -> [UInt8] {
    var request = FeedRequest.with {
      ($0.magic, $0.major, $0.minor, $0.requestID) = (Protocol.magic, Protocol.major, Protocol.minor, id)
    }
    switch self {
    case .snapshot(let epoch, let seq):
      request.getSnapshot = .with { ($0.ifEpoch, $0.ifSeq) = (Data(epoch?.bytes ?? []), seq) }
    case .changes(let epoch, let seq):
      request.getChanges = .with { ($0.epoch, $0.afterSeq) = (Data(epoch.bytes), seq) }
    case .malformed: return Array(repeating: 0xFF, count: 40)
    }
    return request.bytes
  }
}
