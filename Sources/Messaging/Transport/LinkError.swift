import CZeroMQ

/// What a link cannot do at its start. Final until the configuration changes.
package enum LinkError: Error, CustomStringConvertible {
  /// A text that is no ZeroMQ endpoint.
  case endpoint(String)
  /// The address cannot be bound or connected.
  case address(String, reason: String)
  /// libzmq refused an option or has no more sockets: a bug, or too few file descriptors.
  case socket(reason: String)

  package var description: String {
    switch self {
    case .endpoint(let text):
      "\"\(text)\" is not a ZeroMQ endpoint; write tcp://HOST:PORT or ipc://PATH, with * as the port for a free one"
    case .address(let endpoint, let reason): "\(endpoint) cannot be used: \(reason)"
    case .socket(let reason): "a ZeroMQ socket cannot be made: \(reason)"
    }
  }

  /// The address that cannot be used, where that is what is wrong.
  package var failedAddress: String? {
    if case .address(let address, _) = self { address } else { nil }
  }

  /// libzmq's own words for the calling thread's last error.
  static var lastReason: String { String(cString: zmq_strerror(zmq_errno())) }
}
