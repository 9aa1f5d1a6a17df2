import ArgumentParser
import Domain
import Logging
import Metrics
import ServiceLifecycle
import Telemetry
import Web

/// The address for operators of a process: metrics, liveness and readiness.
struct OperationsEndpoint {
  /// Registry of the metrics of the process. Nil if no address serves them, so that they cost nothing.
  let registry: MetricRegistry?
  private let service: OperationsService?
  /// Readiness of the process, to which its roles add their checks.
  let readiness = Readiness()
  /// The configured address. Port 0 selects a free one. Nil without an endpoint.
  let address: (host: String, port: Int)?
  private let host: String
  private let port = OneShot<Int>()

  /// Creates the endpoint. Call this once in a process, before it creates its services. Metrics that were created
  /// earlier count nothing.
  ///
  /// - Parameters:
  ///   - settings: Settings of the command.
  ///   - setting: Setting of the role's address. Its value may be the word none.
  ///   - flag: Value of the flag.
  ///   - logger: Log of the role.
  /// - Throws: `SettingError`.
  init(_ settings: Settings, _ setting: Setting, flag: String?, logger: Logger) throws {
    let isSet = settings.optional(setting, flag: flag) != nil
    guard settings.text(setting, flag: flag) != "none" else {
      (registry, service, address, host) = (nil, nil, nil, "")
      return
    }
    let address = try settings.address(setting, flag: flag)
    let registry = MetricRegistry()
    MetricsSystem.bootstrap(registry)
    let samples = ProcessCollector(version: OnTheMapCommand.configuration.version)
    registry.add { [readiness] in samples.collect() + [Metric.ready.sample(readiness.isReady ? 1 : 0)] }
    let server = OperationsServer(
      host: address.host, port: address.port, registry: registry, readiness: readiness, logger: logger)
    self.registry = registry
    self.address = address
    host = address.host
    service = OperationsService(server: server, isSet: isSet, logger: logger) { [port] in port.set($0) }
  }

  /// Services to run in addition to the role's services.
  var services: [any Service] { service.map { [$0] } ?? [] }

  /// Marks all roles of the process as started.
  func begin() { readiness.begin() }

  /// Text for the ready line, with a space before it. Waits until the endpoint listens. Empty without an endpoint.
  var readyText: String {
    get async throws { service == nil ? "" : " operations=http://\(authority(host)):\(try await port.value)" }
  }
}

/// Service that runs the endpoint until graceful shutdown.
private struct OperationsService: Service {
  let server: OperationsServer
  /// True if the operator has chosen the address. A process must also work if the default address is in use, for
  /// example by a second worker on this host.
  let isSet: Bool
  let logger: Logger
  let ready: @Sendable (Int) -> Void

  func run() async throws {
    do { try await server.run(ready: ready) } catch let error as ListenError where !isSet {
      logger.notice("default operations address in use: using a free port", metadata: ["error": "\(error)"])
      try await server.run(port: 0, ready: ready)
    }
  }
}
