/// A client's connection to one of several gateways. After a failure it continues at the next gateway, as behind a load
/// balancer. One thread at a time.
struct GatewayConnection {
  /// A request without a usable response.
  struct Failure: Error {
    /// "cannot connect", "no response", or the status and the code of a 5xx response.
    let kind: String
  }

  private let ports: [UInt16]
  private var index: Int
  private var connection: BlockingConnection?

  /// - Parameters:
  ///   - ports: HTTP ports of the gateways.
  ///   - number: Number of the connection. Successive numbers begin at successive gateways.
  init(ports: [UInt16], number: Int) {
    self.ports = ports
    index = number % ports.count
  }

  /// Sends a request once, and returns its response below 500. Blocks the thread.
  ///
  /// Each failure counts, whatever its cause. Only a connection that the gateway has already closed is replaced before
  /// the request is sent.
  mutating func send(
    _ method: String, _ path: String, headers: [String: String] = [:], body: String = ""
  ) -> Result<BlockingConnection.Response, Failure> {
    if connection?.isUsable != true {
      // A gateway holds a request for 15 s.
      connection = BlockingConnection(port: ports[index], seconds: 30)
    }
    let response = connection?.send(method, path, headers: headers, body: body)
    if let response, response.status < 500 { return .success(response) }
    let kind = response?.kind ?? (connection == nil ? "cannot connect" : "no response")
    connection = nil
    index = (index + 1) % ports.count
    return .failure(Failure(kind: kind))
  }
}
