import Domain
import FoundationEssentials
import SwiftProtobuf

typealias FetchRequest = Onthemap_Changes_V1_FetchRequest
typealias FetchReply = Onthemap_Changes_V1_FetchReply

extension FetchRequest {
  init(id: UInt64, feed: String, after state: FeedState?, subscribers: Int? = nil) {
    magic = Protocol.magic
    major = Protocol.major
    minor = Protocol.minor
    requestID = id
    self.feed = feed
    epoch = Data(state?.epoch.bytes ?? [])
    afterSeq = state?.seq ?? 0
    max = UInt32(Limits.changesPerFetchMax)
    waitMs = UInt32(Limits.fetchWaitMs)
    if let subscribers { self.subscribers = UInt32(clamping: subscribers) }
  }

  /// Decodes a request. Nil if the frames are not a request of this protocol.
  init?(_ frames: ArraySlice<[UInt8]>) {
    guard frames.count == 1, let bytes = frames.first, let request = try? FetchRequest(serializedBytes: bytes),
      request.magic == Protocol.magic, request.feed.utf8.count <= Limits.peerNameBytesMax,
      request.epoch.isEmpty || request.epoch.count == 16
    else { return nil }
    self = request
  }
}

extension FetchReply {
  init(id: UInt64, epoch: Epoch, seq: UInt64, generation: UInt32 = 0, _ body: OneOf_Body) {
    magic = Protocol.magic
    major = Protocol.major
    minor = Protocol.minor
    requestID = id
    self.epoch = Data(epoch.bytes)
    self.seq = seq
    self.generation = generation
    self.body = body
  }

  /// Decodes a reply. Nil if the frames are not a reply of this major version.
  init?(_ frames: [[UInt8]]) {
    guard frames.count == 1, let reply = try? FetchReply(serializedBytes: frames[0]), reply.magic == Protocol.magic,
      reply.major == Protocol.major
    else { return nil }
    self = reply
  }
}

extension Onthemap_Changes_V1_Changes {
  /// The changes by ascending sequence number. Nil if a change breaks the protocol. An invalid trace is omitted.
  var changes: [FeedChange]? {
    guard let entries = Messaging.entries(upsert)?.traced(traces.map { ($0.seq, $0.traceparent) }) else { return nil }
    let removed = removals.compactMap(\.change)
    guard removed.count == removals.count else { return nil }
    let upserted = entries.map { FeedChange.upsert($0) }
    return removed.isEmpty ? upserted : (upserted + removed).sorted { $0.seq < $1.seq }
  }
}

extension Onthemap_Changes_V1_Removal {
  fileprivate var change: FeedChange? {
    guard let id = PostID(postID) else { return nil }
    guard hasBackfill else { return .remove(id, seq: seq, backfill: nil) }
    return backfill.entry.map { .remove(id, seq: seq, backfill: $0) }
  }
}
