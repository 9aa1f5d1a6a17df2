/// The coding in which a body is sent. (RFC 9110, 8.4.)
package enum ContentCoding: Sendable, Hashable, CaseIterable {
  case identity, gzip

  /// Selects the coding that an `Accept-Encoding` header prefers. A nil header is absent. (RFC 9110, 12.5.3.)
  ///
  /// A client that forbids both codings gets `identity`, which helps it more than an error.
  package init(accepting header: String?) {
    var weights: [String: Double] = [:]
    for (name, weight) in QualityValues(header).all {
      // "x-gzip" is an alias of "gzip". (RFC 9110, 8.4.1.3.)
      weights[name == "x-gzip" ? "gzip" : name] = weight
    }
    let gzip = weights["gzip"] ?? weights["*"] ?? 0
    self = gzip > 0 && gzip >= weights["identity"] ?? 0 ? .gzip : .identity
  }
}
