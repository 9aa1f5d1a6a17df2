import Domain
import Messaging

extension ConformanceSocket<WorkerSuite> {
  /// Binds ingest's end of the job link.
  static func make(
    _ context: Reactor.Context, bind: Endpoint, query: String, environment: ConformanceEnvironment
  ) throws(LinkError) -> (socket: any ReactorSocket, endpoint: Endpoint) {
    let router = try ProbeSocket(
      context, .router, bind: bind, as: .jobs, frameBytesMax: ProbeSocket.overlongFactor * Limits.jobFrameBytesMax,
      logger: environment.logger)
    let driver = ConformanceSocket(
      WorkerSuite(RunContext(environment), query: query), main: router, environment: environment
    ) { stimulus in
      for frames in stimulus.messages { router.send(frames) }
    }
    router.onReceive = { [unowned driver] frames, connection, nowMs in
      driver.receive(WorkerProbe.ReceivedMessage(frames, connection: connection), nowMs: nowMs)
    }
    return (driver, router.endpoint)
  }
}
