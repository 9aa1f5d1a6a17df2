import CZeroMQ

/// A failure to start a link. Do not retry before the configuration changes.
package enum LinkError: Error, CustomStringConvertible {
  /// The text is not a ZeroMQ endpoint.
  case endpoint(String)
  /// The address cannot be bound, or libzmq cannot connect to it.
  case address(String, reason: String)
  /// libzmq refused an option or has no more sockets. The cause is a bug, or too few file descriptors.
  case socket(reason: String)

  package var description: String {
    switch self {
    case .endpoint(let text):
      "\"\(text)\" is not a ZeroMQ endpoint; write tcp://HOST:PORT or ipc://PATH, with * as PORT for a free port"
    case .address(let endpoint, let reason): "\(endpoint) cannot be used: \(reason)"
    case .socket(let reason): "cannot create a ZeroMQ socket: \(reason)"
    }
  }

  /// The address that cannot be used. Nil for other errors.
  package var failedAddress: String? {
    if case .address(let address, _) = self { address } else { nil }
  }

  /// libzmq's text for the calling thread's last error.
  static var lastReason: String { String(cString: zmq_strerror(zmq_errno())) }
}
