import CZeroMQ

/// libzmq as this process has loaded it.
package enum ZeroMQLibrary {
  /// Version, such as "4.3.4".
  package static var version: String {
    var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
    zmq_version(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }

  /// Returns true if libzmq was built with a capability, such as "curve".
  package static func has(_ capability: String) -> Bool { zmq_has(capability) == 1 }
}
