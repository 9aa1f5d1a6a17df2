package import Domain
package import Logging

/// A subscriber's SUB, driven by `FeedSubscription`. It joins, applies deltas, and resyncs by itself.
package final class FeedSubscriber: ReactorSocket {
  /// An event for the subscriber's program.
  package typealias Event = FeedSubscription.Event

  package let socket: Socket
  private let connection: ClientConnection
  private let logger: Logger
  private let onEvent: @Sendable (Event) -> Void
  private var subscription: FeedSubscription
  private var join: String?
  private var random = SystemRandomNumberGenerator()
  private var malformed = MalformedFrames("feed")

  /// Creates the subscriber, and connects its socket to the first feed, or to a random one.
  ///
  /// - Parameters:
  ///   - endpoints: At least one feed of the same list, in the order in which to try them.
  ///   - startsAnywhere: True to begin at a random feed, so that many subscribers spread over the feeds.
  ///   - curve: Keys of the subscriber and of the link, the same for all feeds. Nil disables encryption.
  ///   - logsConnections: True to log each connection and its failures. False for programs that show them otherwise.
  ///   - onEvent: Handler of each event. It runs on the reactor's thread and must not block.
  package init(
    _ context: Reactor.Context, connect endpoints: [Endpoint], startsAnywhere: Bool = false,
    curve: CurveClient? = nil, logsConnections: Bool = false, logger: Logger,
    onEvent: @escaping @Sendable (Event) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.sub, frameBytesMax: Limits.feedFrameBytesMax)
    try socket.set(ZMQOption.receiveHighWater, Int32(Limits.subscriberFramesQueuedMax))
    // Subscribe in this order, which libzmq repeats after every reconnect. Thus the subscriber misses nothing after the
    // join.
    try socket.subscribe(Topic.delta)
    try socket.subscribe(Topic.heartbeat)
    let join = Topic.join(Topic.nonce())
    try socket.subscribe(join)
    self.join = join
    connection = try ClientConnection(
      context, socket, connect: endpoints, startsAnywhere: startsAnywhere, as: .feed, curve: curve,
      logsConnections: logsConnections, logger: logger)
    self.logger = logger
    self.onEvent = onEvent
    subscription = FeedSubscription(nowMs: Reactor.nowMs)
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard frames.count == 2, let frame = FeedFrame.read(frames[1]) else {
      if malformed.add(nowMs: nowMs) { malformed.log("not a FeedFrame of this protocol", to: logger) }
      return
    }
    run(subscription.receive(frame, nowMs: nowMs, using: &random), nowMs: nowMs)
  }

  package func tick(nowMs: Int64) -> Int64 {
    handle(connection.tick(nowMs: nowMs), nowMs: nowMs)
    if !connection.isPaused { run(subscription.tick(nowMs: nowMs), nowMs: nowMs) }
    return min(subscription.nextMs(nowMs: nowMs), connection.nextMs)
  }

  private func handle(_ change: ClientConnection.Change?, nowMs: Int64) {
    switch change {
    // Silence counts from the next connection on.
    case .left(let untilMs): subscription.reconnected(nowMs: untilMs)
    case .connected: subscription.reconnected(nowMs: nowMs)
    case nil: break
    }
  }

  package func shutDown() {}

  private func run(_ effects: [FeedSubscription.Effect], nowMs: Int64) {
    for effect in effects {
      switch effect {
      case .report(let event):
        if case .list = event { connection.answered() }
        onEvent(event)
      case .join: rejoin()
      case .reconnect: handle(connection.reconnect(nowMs: nowMs), nowMs: nowMs)
      case .failOver(let endpoints, let retryAfterMs): failOver(to: endpoints, retryAfterMs: retryAfterMs, nowMs: nowMs)
      }
    }
  }

  /// Leaves a feed that shuts down, and connects to another feed if one is known. Otherwise the subscriber stays
  /// connected, because the feed may return, but does not join before the announced time.
  private func failOver(to failoverEndpoints: [String], retryAfterMs: Int64, nowMs: Int64) {
    connection.prefer(FeedSubscriber.endpoints(in: failoverEndpoints))
    guard connection.hasOthers else { return leave() }
    handle(connection.leave(.goodbye, retryAfterMs: retryAfterMs, isUrgent: true, nowMs: nowMs), nowMs: nowMs)
    handle(connection.tick(nowMs: nowMs), nowMs: nowMs)
  }

  /// Returns the usable failover endpoints of a goodbye: hosts with ports, not files of the feed's host.
  static func endpoints(in failoverEndpoints: [String]) -> [Endpoint] {
    failoverEndpoints.prefix(Limits.failoverEndpointsMax).compactMap { text in
      guard text.hasPrefix("tcp://"), let endpoint = try? Endpoint(text), !endpoint.description.contains("*") else {
        return nil
      }
      return endpoint
    }
  }

  /// Unsubscribes the join topic. libzmq repeats every subscription when the feed returns, and a repeated
  /// subscription would be a join.
  private func leave() {
    if let join { try? socket.unsubscribe(join) }
    join = nil
  }

  private func rejoin() {
    leave()
    let next = Topic.join(Topic.nonce())
    try? socket.subscribe(next)
    join = next
  }
}
