import ArgumentParser
import Domain
import Logging
import Metrics
import ServiceLifecycle
import Telemetry
import Web

/// The address where a process is asked about itself: metrics, and whether it lives and is ready.
struct OperationsEndpoint {
  /// What the services of the process measure; nil where nothing is served, and measuring costs nothing.
  let registry: MetricRegistry?
  private let service: OperationsService?
  /// Readiness of the process, to which its roles add their parts.
  let readiness = Readiness()
  private let host: String
  private let port = OneShot<Int>()

  /// Once in a process, and before its services are made: they count nothing otherwise.
  ///
  /// - Parameters:
  ///   - setting: the role's; its value may be the word none.
  ///   - flag: the flag's value.
  /// - Throws: `SettingError`.
  init(_ settings: Settings, _ setting: Setting, flag: String?, logger: Logger) throws {
    let isSet = settings.optional(setting, flag: flag) != nil
    guard settings.text(setting, flag: flag) != "none" else {
      (registry, service, host) = (nil, nil, "")
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
    host = address.host
    service = OperationsService(server: server, isSet: isSet, logger: logger) { [port] in port.set($0) }
  }

  /// To be run beside the others.
  var services: [any Service] { service.map { [$0] } ?? [] }

  /// All roles of the process serve.
  func begin() { readiness.begin() }

  /// What the ready line says of it, with a space before it; waits until it listens. Empty where it does not.
  var word: String {
    get async throws { service == nil ? "" : " operations=http://\(authority(host)):\(try await port.value)" }
  }
}

/// Serves it, until graceful shutdown.
private struct OperationsService: Service {
  let server: OperationsServer
  /// Whether somebody has chosen the address. A usual one that is taken, by a second worker of this host say, is no
  /// reason not to work.
  let isSet: Bool
  let logger: Logger
  let ready: @Sendable (Int) -> Void

  func run() async throws {
    do { try await server.run(ready: ready) } catch let error as ListenError where !isSet {
      logger.notice("the usual address for metrics is taken: a free port instead", metadata: ["reason": "\(error)"])
      try await server.run(port: 0, ready: ready)
    }
  }
}
