import Domain
import Messaging

extension ConformanceSocket<SubscriberSuite> {
  /// Binds a feed, and a failover feed on a free port of the same host.
  static func make(
    _ context: Reactor.Context, bind: Endpoint, environment: ConformanceEnvironment
  ) throws(LinkError) -> (socket: any ReactorSocket, endpoint: Endpoint) {
    func feed(_ endpoint: Endpoint) throws(LinkError) -> ProbeSocket {
      try ProbeSocket(
        context, .xpub, bind: endpoint, as: .feed,
        frameBytesMax: ProbeSocket.overlongFactor * Limits.subscriptionBytesMax, logger: environment.logger)
    }
    let feeds = [try feed(bind), try feed(bind.withFreePort)]
    let failoverFeed = feeds[1].endpoint.connectable.description
    let driver = ConformanceSocket(
      SubscriberSuite(RunContext(environment), failoverFeed: failoverFeed), main: feeds[0], environment: environment
    ) { stimulus in
      for frames in stimulus.messages { feeds[stimulus.feed].send(frames) }
    }
    for (number, feed) in feeds.enumerated() {
      feed.onReceive = { [unowned driver] frames, _, nowMs in
        guard let message = SubscriberProbe.ReceivedMessage(frames) else { return }
        driver.receive(.message(message, feed: number), nowMs: nowMs)
      }
    }
    context.add(feeds[1])
    return (driver, feeds[0].endpoint)
  }
}
