import Domain
import Messaging

extension ConformanceSocket<ProducerSuite> {
  /// Binds ingest's end of submission.
  static func make(
    _ context: Reactor.Context, bind: Endpoint, environment: ConformanceEnvironment
  ) throws(LinkError) -> (socket: any ReactorSocket, endpoint: Endpoint) {
    let router = try ProbeSocket(
      context, .router, bind: bind, as: .submit,
      frameBytesMax: ProbeSocket.overlongBatchFactor * Limits.submitFrameBytesMax, logger: environment.logger)
    let driver = ConformanceSocket(
      ProducerSuite(RunContext(environment)), main: router, environment: environment
    ) { stimulus in
      for frame in stimulus.frames { router.send([frame], to: stimulus.connection) }
    }
    router.onReceive = { [unowned driver] frames, connection, nowMs in
      driver.receive(ProducerProbe.ReceivedMessage(frames, connection: connection), nowMs: nowMs)
    }
    return (driver, router.endpoint)
  }
}
