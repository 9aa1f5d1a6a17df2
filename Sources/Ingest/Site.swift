/// What people open, as far as the operator has told.
struct Site: Sendable {
  /// "https://example.org", or empty.
  let origin: String

  /// Whether TLS ends in front of the service.
  var isSecure: Bool { origin.hasPrefix("https://") }

  /// The session's; the strict prefix needs TLS.
  var cookieName: String { isSecure ? "__Host-otm" : "otm" }
}
