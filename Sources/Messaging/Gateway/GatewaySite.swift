/// Properties of the site that a gateway needs for its own responses.
package struct GatewaySite: Sendable, Equatable {
  /// True if clients reach the site by TLS.
  package let isSecure: Bool
  /// Origins of other sites whose pages may use the API from a browser.
  package let allowedOrigins: Set<String>
  /// True if everybody may see the map.
  package let isMapPublic: Bool

  package init(isSecure: Bool, allowedOrigins: Set<String>, isMapPublic: Bool) {
    self.isSecure = isSecure
    self.allowedOrigins = allowedOrigins
    self.isMapPublic = isMapPublic
  }
}
