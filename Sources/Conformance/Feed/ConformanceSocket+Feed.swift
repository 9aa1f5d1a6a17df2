import Domain
import Messaging

extension ConformanceSocket<FeedSuite> {
  /// Binds ingest's end of the change log, and connects three subscribers and a query client to the feed.
  ///
  /// - Parameters:
  ///   - publish: Address at which the feed publishes.
  ///   - query: Address for queries. Nil to test no queries.
  static func make(
    _ context: Reactor.Context, bind: Endpoint, publish: Endpoint, query: Endpoint?,
    environment: ConformanceEnvironment
  ) throws(LinkError) -> (socket: any ReactorSocket, endpoint: Endpoint) {
    func connect(_ kind: Socket.Kind, _ endpoint: Endpoint) throws(LinkError) -> ProbeSocket {
      let socket = try ProbeSocket(
        context, kind, connect: endpoint, frameBytesMax: Limits.feedFrameBytesMax, logger: environment.logger)
      context.add(socket)
      return socket
    }
    let router = try ProbeSocket(
      context, .router, bind: bind, as: .changes, frameBytesMax: Limits.controlFrameBytesMax,
      logger: environment.logger)
    let subscribers = [try connect(.sub, publish), try connect(.sub, publish), try connect(.sub, publish)]
    var client: ProbeSocket?
    if let query { client = try connect(.dealer, query) }
    let driver = ConformanceSocket(
      FeedSuite(RunContext(environment), hasQueryAddress: query != nil), main: router, environment: environment
    ) { [client] stimulus in
      switch stimulus {
      case .subscribe(let subscriber, let subject): try? subscribers[subscriber].socket.subscribe(subject.topic)
      case .query(let id, let query): client?.send([query.bytes(id: id)])
      default: for frames in stimulus.replies { router.send(frames) }
      }
    }
    router.onReceive = { [unowned driver] frames, connection, nowMs in
      driver.receive(FeedProbe.ReceivedMessage(fetch: frames, connection: connection), nowMs: nowMs)
    }
    for (number, subscriber) in subscribers.enumerated() {
      subscriber.onReceive = { [unowned driver] frames, _, nowMs in
        driver.receive(FeedProbe.ReceivedMessage(published: frames, subscriber: number), nowMs: nowMs)
      }
    }
    client?.onReceive = { [unowned driver] frames, _, nowMs in
      driver.receive(FeedProbe.ReceivedMessage(reply: frames), nowMs: nowMs)
    }
    return (driver, router.endpoint)
  }
}
