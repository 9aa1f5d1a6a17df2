/// The error of an HTTP server that cannot listen on its address. Final until the configuration changes.
package struct ListenError: Error, CustomStringConvertible {
  /// The configured address, as "host:port".
  package let address: String
  /// The operating system's description of the error.
  package let reason: String

  /// The address and the reason.
  package var description: String { "cannot listen on \(address): \(reason)" }

  /// Creates the error from the address and the reason.
  package init(address: String, reason: String) {
    self.address = address
    self.reason = reason
  }
}
