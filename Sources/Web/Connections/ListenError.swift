/// HTTP cannot listen where it was told to. Final until the configuration changes.
package struct ListenError: Error, CustomStringConvertible {
  /// "host:port", as it was told.
  package let address: String
  /// The system's words.
  package let reason: String

  /// The address and what is wrong with it.
  package var description: String { "HTTP cannot listen at \(address): \(reason)" }

  /// Made by whoever could not listen.
  package init(address: String, reason: String) {
    self.address = address
    self.reason = reason
  }
}
