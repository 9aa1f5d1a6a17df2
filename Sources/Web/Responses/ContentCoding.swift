import Domain

/// The coding in which a body is sent. (RFC 9110, 8.4.)
package enum ContentCoding: Sendable, Hashable, CaseIterable {
  case identity, gzip

  /// Selects the coding that an `Accept-Encoding` header prefers. A nil header is absent. (RFC 9110, 12.5.3.)
  ///
  /// A client that forbids both codings gets `identity`, which helps it more than an error.
  package init(accepting header: String?) {
    var weights: [String: Double] = [:]
    for element in (header ?? "").split(separator: ",") {
      let parts = element.split(separator: ";", omittingEmptySubsequences: false).map {
        String($0).trimmedLine.lowercased()
      }
      // "x-gzip" is an alias of "gzip". (RFC 9110, 8.4.1.3.)
      weights[parts[0] == "x-gzip" ? "gzip" : parts[0]] = Self.weight(parts.dropFirst())
    }
    let gzip = weights["gzip"] ?? weights["*"] ?? 0
    self = gzip > 0 && gzip >= weights["identity"] ?? 0 ? .gzip : .identity
  }

  /// Returns the weight of a coding, such as 0.5 of "q=0.5". Returns 1 for a missing weight, and 0 for an invalid
  /// weight.
  private static func weight(_ parameters: some Sequence<String>) -> Double {
    guard let q = parameters.first(where: { $0.hasPrefix("q=") })?.dropFirst(2) else { return 1 }
    guard let weight = Double(q), (0.0...1.0).contains(weight) else { return 0 }
    return weight
  }
}
