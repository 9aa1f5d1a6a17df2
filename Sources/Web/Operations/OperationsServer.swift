import Domain
import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
package import Telemetry

/// Server for operators, on its own address: `/livez`, `/readyz`, `/metrics`.
package struct OperationsServer: Sendable {
  private let host: String
  private let port: Int
  private let registry: MetricRegistry
  private let readiness: Readiness
  private let logger: Logger

  /// Creates a server that does not listen yet.
  ///
  /// - Parameters:
  ///   - port: The port. 0 selects a free one.
  ///   - registry: The metrics of `/metrics`.
  ///   - readiness: The state of `/readyz`.
  package init(host: String, port: Int, registry: MetricRegistry, readiness: Readiness, logger: Logger) {
    self.host = host
    self.port = port
    self.registry = registry
    self.readiness = readiness
    self.logger = logger
  }

  /// Serves until graceful shutdown.
  ///
  /// - Parameters:
  ///   - port: The port to use instead of the configured port. Nil selects the configured port.
  ///   - ready: Called once with the actual port.
  /// - Throws: `ListenError`.
  package func run(port: Int? = nil, ready: @escaping @Sendable (Int) -> Void) async throws {
    let router = Router(context: ConnectionContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: ProblemMiddleware { _ in nil })
    router.get("/livez") { _, _ in Response(status: .noContent) }
    router.get("/readyz") { [readiness] _, _ in
      OperationsServer.response(try readiness.text(), type: "text/plain", status: .ok)
    }
    router.get("/metrics") { [registry] _, _ in
      OperationsServer.response(await registry.text(), type: MetricRegistry.mediaType, status: .ok)
    }
    for path in ["/livez", "/readyz", "/metrics"] as [RouterPath] {
      router.respondMethodNotAllowed(at: path, allow: .get)
    }
    try await HTTPService.run(
      router, host: host, port: port ?? self.port,
      connections: min(Limits.operationsConnectionsMax, HTTPService.connectionsMax()), logger: logger,
      listening: "operations listening", ready: ready)
  }

  private static func response(_ text: String, type: String, status: HTTPResponse.Status) -> Response {
    Response(
      status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
