import Glibc
import Messaging

/// Probe of a listener's protocol, before the probe of its link.
///
/// A ZeroMQ listener begins its greeting when a connection opens (ZeroMQ RFC 23), so the probe sends nothing to it. A
/// listener that sends nothing gets an HTTP request, because an HTTP address is a usual mistake.
struct GreetingProbe: Sendable {
  /// The protocol of a listener.
  enum Outcome: Sendable, Equatable {
    case zeroMQ
    case http
    /// The listener sent other bytes.
    case other
    /// The listener closed the connection, and sent nothing before.
    case closed
    /// The listener sent nothing in time.
    case silent
    /// There is no listener, for this reason.
    case unreached(String)
  }

  /// Timeout for the greeting.
  var greetingTimeout = DoctorLimits.greetingTimeout
  /// Timeout for the response to the HTTP request.
  var responseTimeout = DoctorLimits.responseTimeout

  /// Connects to an address, and reads the greeting. Blocks for all timeouts at most, and on the name server.
  func run(_ endpoint: Endpoint) -> Outcome {
    var outcome = Outcome.silent
    let connection: TCPProbe.Connection
    if let path = endpoint.path {
      connection = TCPProbe.connect(path: path) { outcome = protocolOfPeer($0) }
    } else if let (host, port) = endpoint.hostAndPort {
      connection = TCPProbe.connect(host: host, port: port, timeout: DoctorLimits.connectTimeout) {
        outcome = protocolOfPeer($0)
      }
    } else {
      return .unreached("the address has no port")
    }
    if case .failed(let reason) = connection { return .unreached(reason.lowercased()) }
    return outcome
  }

  private func protocolOfPeer(_ descriptor: CInt) -> Outcome {
    // The signature of the greeting: 0xFF, eight bytes of padding, 0x7F.
    let (greeting, isClosed) = GreetingProbe.read(10, from: descriptor, within: greetingTimeout)
    guard greeting.isEmpty else {
      if GreetingProbe.isHTTP(greeting) { return .http }
      return greeting.count == 10 && greeting[0] == 0xFF && greeting[9] == 0x7F ? .zeroMQ : .other
    }
    if isClosed { return .closed }
    let request = Array("HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    _ = send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
    let response = GreetingProbe.read(10, from: descriptor, within: responseTimeout).bytes
    if GreetingProbe.isHTTP(response) { return .http }
    return response.isEmpty ? .silent : .other
  }

  private static func isHTTP(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "HTTP/".utf8) }

  /// Reads a number of bytes, or those that arrive before the timeout or the end of the connection.
  private static func read(
    _ count: Int, from descriptor: CInt, within limit: Duration
  ) -> (bytes: [UInt8], isClosed: Bool) {
    let end = ContinuousClock.now + limit
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: count)
    while bytes.count < count {
      let remaining = (end - ContinuousClock.now).components
      let ms = remaining.seconds * 1_000 + remaining.attoseconds / 1_000_000_000_000_000
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard ms > 0, poll(&request, 1, CInt(ms)) > 0 else { return (bytes, false) }
      let received = Glibc.read(descriptor, &chunk, count - bytes.count)
      guard received > 0 else { return (bytes, true) }
      bytes += chunk[..<received]
    }
    return (bytes, false)
  }
}
