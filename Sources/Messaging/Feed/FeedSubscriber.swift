package import Domain
package import Logging

/// A subscriber's SUB, driven by `FeedSubscription`: it joins, follows the deltas, and heals by itself.
package final class FeedSubscriber: ReactorSocket {
  /// News for the subscriber's program.
  package typealias Event = FeedSubscription.Event

  package let socket: Socket
  /// Feeds of the same list: the first is asked first, and each that falls silent or leaves is the last from then on.
  private var endpoints: [Endpoint]
  /// Those that it was told at its start: what goodbyes name comes and goes.
  private let configured: [Endpoint]
  private let logger: Logger
  private let onEvent: @Sendable (Event) -> Void
  private var subscription: FeedSubscription
  private var join: String?
  private var random = SystemRandomNumberGenerator()
  private var malformed = MalformedFrames("feed")

  /// - Parameters:
  ///   - endpoints: one or more feeds of the same list, in the order in which to try them.
  ///   - curve: its own and the link's keys, the same for all of them; nil for plain text.
  ///   - tell: called on the reactor's thread; must not wait.
  package init(
    _ context: Reactor.Context, connect endpoints: [Endpoint], curve: CurveClient? = nil, logger: Logger,
    onEvent: @escaping @Sendable (Event) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.sub, frameBytesMax: Limits.feedFrameBytesMax)
    try socket.set(ZMQOption.receiveHighWater, Int32(Limits.subscriberFramesQueuedMax))
    // In this order, and again in this order after every reconnection: what follows the join is complete.
    try socket.subscribe(Topic.delta)
    try socket.subscribe(Topic.heartbeat)
    let join = Topic.join(Topic.nonce())
    try socket.subscribe(join)
    self.join = join
    try context.connect(socket, endpoints[0], curve: curve, logger: logger)
    self.endpoints = endpoints
    configured = endpoints
    self.logger = logger
    self.onEvent = onEvent
    subscription = FeedSubscription(nowMs: Reactor.nowMs)
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard frames.count == 2, let frame = FeedFrame.read(frames[1]) else {
      if malformed.add(nowMs: nowMs) {
        logger.warning("malformed frame from the feed", metadata: ["total": "\(malformed.count)"])
      }
      return
    }
    run(subscription.receive(frame, nowMs: nowMs, using: &random), nowMs: nowMs)
  }

  package func tick(nowMs: Int64) -> Int64 {
    run(subscription.tick(nowMs: nowMs), nowMs: nowMs)
    return subscription.nextMs(nowMs: nowMs)
  }

  package func shutDown() {}

  private func run(_ effects: [FeedSubscription.Effect], nowMs: Int64) {
    for effect in effects {
      switch effect {
      case .report(let event): onEvent(event)
      case .join: rejoin()
      case .reconnect: connectNext()
      case .failOver(let alternates): failOver(for: alternates, nowMs: nowMs)
      }
    }
  }

  /// Leaves a feed that ends: connects to another one, if known. Otherwise stays, since this feed may come back.
  private func failOver(for alternates: [String], nowMs: Int64) {
    let current = endpoints[0]
    endpoints = [current]
    for endpoint in FeedSubscriber.endpoints(in: alternates) + configured where !endpoints.contains(endpoint) {
      endpoints.append(endpoint)
    }
    guard endpoints.count > 1 else { return }
    connectNext()
    subscription.reconnected(nowMs: nowMs)
  }

  /// What a goodbye names that can be connected to: hosts with ports, not files of this one.
  static func endpoints(in alternates: [String]) -> [Endpoint] {
    alternates.prefix(Limits.alternatesMax).compactMap { text in
      guard text.hasPrefix("tcp://"), let endpoint = try? Endpoint(text), !endpoint.description.contains("*") else {
        return nil
      }
      return endpoint
    }
  }

  private func connectNext() {
    endpoints.append(endpoints.removeFirst())
    // libzmq subscribes again by itself.
    try? socket.reconnect(endpoints[0])
  }

  private func rejoin() {
    if let join { try? socket.unsubscribe(join) }
    let next = Topic.join(Topic.nonce())
    try? socket.subscribe(next)
    join = next
  }
}
