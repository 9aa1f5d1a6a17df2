package import Domain
package import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// Ingest's end of the change log: a ROUTER that replies to feeds from memory. It keeps a fetch open until there is a
/// change, or until the fetch's `waitMs` is over.
package final class ChangeServer: ReactorSocket {
  package let socket: Socket
  /// Address with the actual port.
  package let endpoint: Endpoint
  private let committedChanges: CommandQueue<[FeedChange]>
  private let logger: Logger
  private let generation: UInt32
  private var log: ChangeLog
  private var fetching = PendingFetches<[UInt8]>()
  /// Feeds with recent requests, at most `Limits.feedsMax`.
  private var seen: [[UInt8]: (name: String, seq: UInt64, subscribers: Int?, lastReceivedMs: Int64)] = [:]
  private var malformed = MalformedFrames("changes")
  private let fetches = Metric.changesFetches.counter()
  private let lastSeq = Metric.changesSeq.meter()

  /// Creates the server, and binds its socket.
  ///
  /// - Parameters:
  ///   - state: The list in the store.
  ///   - generation: Number of this start of ingest, 1 … `Limits.generationMax`.
  ///   - committedChanges: Queue of committed changes with rising `seq`.
  ///   - curve: Keys of the link. Nil disables encryption.
  package init(
    _ context: Reactor.Context, bind: Endpoint, state: FeedState, generation: UInt32,
    committedChanges: CommandQueue<[FeedChange]>, curve: CurveServer? = nil, logger: Logger
  ) throws(LinkError) {
    socket = try context.socket(.router, frameBytesMax: Limits.controlFrameBytesMax)
    try socket.set(ZMQOption.routerMandatory, 1)
    try socket.set(ZMQOption.sendHighWater, Int32(Limits.changesFramesQueuedMax))
    endpoint = try context.bind(socket, bind, as: .changes, curve: curve, logger: logger)
    log = ChangeLog(state: state)
    self.generation = generation
    lastSeq.set(Double(state.seq))
    self.committedChanges = committedChanges
    self.logger = logger
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    let peer = frames.first ?? []
    // Check the version before the fields: another major version may allow fields that are forbidden here.
    if frames.count == 2, let foreign = try? FetchRequest(serializedBytes: frames[1]), foreign.magic == Protocol.magic,
      foreign.major != Protocol.major
    {
      let detail = "this ingest supports version \(Protocol.major) only"
      return refuse(peer, id: foreign.requestID, .unsupportedVersion, detail, nowMs: nowMs)
    }
    guard let request = FetchRequest(frames.dropFirst()) else {
      return refuse(peer, id: 0, .malformed, "not a FetchRequest of this protocol", nowMs: nowMs)
    }
    note(request, of: peer, nowMs: nowMs)
    fetches.increment()
    fetching.open(
      .init(
        peer: peer, id: request.requestID, epoch: Epoch(request.epoch), afterSeq: request.afterSeq,
        changesMax: Int(request.max), waitMs: Int64(request.waitMs), nowMs: nowMs))
  }

  package func tick(nowMs: Int64) -> Int64 {
    let batches = committedChanges.drain()
    for changes in batches { log.append(changes) }
    if !batches.isEmpty { lastSeq.set(Double(log.seq)) }
    for (fetch, result) in fetching.replies(from: &log, nowMs: nowMs) {
      socket.send(fetch.peer, FeedCodec.reply(result, id: fetch.id, epoch: log.epoch, generation: generation))
    }
    return fetching.nextMs
  }

  package func shutDown() {}

  /// Returns the feeds with a request within `Limits.livenessMs`, sorted by name, for the operator. Forgets other
  /// feeds.
  func feeds(nowMs: Int64) -> [QueueStatus.Feed] {
    forget(nowMs: nowMs)
    return seen.values.map {
      .init(name: $0.name, seq: $0.seq, lastSeenAgoMs: nowMs - $0.lastReceivedMs, subscribers: $0.subscribers)
    }
    .sorted { ($0.name, $0.seq) < ($1.name, $1.seq) }
  }

  private func note(_ request: FetchRequest, of peer: [UInt8], nowMs: Int64) {
    if seen[peer] == nil, seen.count >= Limits.feedsMax { forget(nowMs: nowMs) }
    guard seen[peer] != nil || seen.count < Limits.feedsMax else { return }
    let subscribers = request.hasSubscribers ? Int(request.subscribers) : nil
    seen[peer] = (request.feed.safeLine(bytesMax: Limits.peerNameBytesMax), request.afterSeq, subscribers, nowMs)
  }

  private func forget(nowMs: Int64) { seen = seen.filter { nowMs - $0.value.lastReceivedMs <= Limits.livenessMs } }

  /// Counts a malformed request. Logs it and replies at most once a second.
  private func refuse(
    _ peer: [UInt8], id: UInt64, _ code: Onthemap_Changes_V1_ErrorCode, _ detail: String, nowMs: Int64
  ) {
    guard malformed.add(nowMs: nowMs) else { return }
    malformed.log(detail, to: logger)
    let error = Onthemap_Changes_V1_Error.with {
      $0.code = code
      $0.detail = detail
    }
    socket.send(peer, FetchReply(id: id, epoch: log.epoch, seq: 0, generation: generation, .error(error)).bytes)
  }
}
