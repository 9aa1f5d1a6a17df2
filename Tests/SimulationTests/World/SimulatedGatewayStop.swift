import Fuzzing

@testable import Domain

/// Stops and starts of the gateway's process.
extension Simulation {
  /// Begins a graceful stop, as SIGTERM does. The gateway accepts no request, and ends after its last response.
  func stopGateway() {
    guard gateway.phase == .running else { return }
    trace("the gateway stops with \(gateway.openPosts.count) open posts")
    gateway.phase = .stopping
    gateway.stops += 1
    // With a shorter drain than in production, more posts are open at the end of the waits.
    let drainMs = random.happens(50) ? Limits.gatewayDrainMs : random.between(0, 200)
    eventQueue.schedule(.gatewayEndsWaits(incarnation: gateway.incarnation), inMs: drainMs)
    if random.happens(40) {
      eventQueue.schedule(.gatewayIsKilled(incarnation: gateway.incarnation), inMs: random.between(0, 200))
    }
    tickGateway()
  }

  /// Ends the waits. Posts that cannot be sent fail, and the others get ingest's responses.
  func endGatewayWaits() {
    let connected = ingest?.gateways.connection(of: SimulatedGateway.peer(gateway.connection))
    let isConnected =
      connected != nil && connected == gateway.held.connection && !gateway.isCut && nowMs >= suspendedUntilMs
    trace("the gateway ends the waits of \(gateway.openPosts.count) posts")
    gateway.lastPosts += gateway.openPosts.count
    gateway.waitsEnd = SimulatedGateway.WaitsEnd(
      atMs: nowMs, generation: isConnected ? ingest?.generation : nil, connection: gateway.connection)
    if injectedBug == .forgetsRequestsAtStop {
      for id in gateway.frames.keys.sorted() { _ = gateway.held.cancel(id) }
    }
    eventQueue.schedule(
      .gatewayTimesOut(incarnation: gateway.incarnation), inMs: Limits.shutdownMs - Limits.gatewayDrainMs)
    perform(gateway.held.endWaits())
    tickGateway()
  }

  /// Ends a process that has not ended by itself. It has open posts only if ingest went away after the end of the
  /// waits. A connected ingest replies earlier, and the posts fail earlier if ingest is silent.
  func timeOutGateway() {
    guard let end = gateway.waitsEnd else { return }
    // A commit to a replicated database may take longer than the stop.
    let wasConnected =
      failover == nil && end.generation != nil && end.generation == ingest?.generation
      && end.connection == gateway.connection && !gateway.isCut && lastSuspension.untilMs <= end.atMs
    // The gateway notices silence with a delay of up to one Hello.
    let wasSilent = gateway.heardMs < end.atMs - 2 * Limits.gatewayHelloMs
    ledger.expect(
      !wasConnected && !wasSilent,
      "the gateway ends with \(gateway.openPosts.count) open posts, \(wasConnected ? "with" : "without") ingest")
    endGateway()
  }

  /// Ends the process. The clients of its open posts lose their connections.
  func endGateway() {
    trace("the gateway ends with \(gateway.openPosts.count) open posts")
    gateway.brokenPosts += gateway.openPosts.count
    for post in gateway.openPosts { repeatLater(post.request) }
    gateway.phase = .ended
    gateway.incarnation += 1
    gateway.waitsEnd = nil
    gateway.waitingPosts = []
    gateway.frames = [:]
    gateway.sent = []
    gateway.lastFrame = 0
    gateway.dueMs = .max
    breakGatewayConnection(pauseMs: 0)
    eventQueue.schedule(.gatewayStarts, inMs: random.between(20, 3_000))
  }

  /// Starts the next process, which knows no request of the earlier one.
  func restartGateway() {
    trace("the gateway starts again")
    gateway.phase = .running
    gateway.held = HeldRequests(nowMs: nowMs)
    gateway.heardMs = nowMs
    breakGatewayConnection(pauseMs: random.between(1, 100))
    tickGateway()
  }
}
