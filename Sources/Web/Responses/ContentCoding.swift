import Domain

/// In which form a body travels. (RFC 9110, 8.4.)
package enum ContentCoding: Sendable, Hashable, CaseIterable {
  case identity, gzip

  /// What a client that sends this `Accept-Encoding` likes best; nil where it sends none. (RFC 9110, 12.5.3.)
  ///
  /// One that forbids both gets the body as it is: to be refused would help it less.
  package init(accepting header: String?) {
    var weights: [String: Double] = [:]
    for element in (header ?? "").split(separator: ",") {
      let parts = element.split(separator: ";", omittingEmptySubsequences: false).map {
        String($0).trimmedLine.lowercased()
      }
      // "x-gzip" is the same. (RFC 9110, 8.4.1.3.)
      weights[parts[0] == "x-gzip" ? "gzip" : parts[0]] = Self.weight(parts.dropFirst())
    }
    let gzip = weights["gzip"] ?? weights["*"] ?? 0
    self = gzip > 0 && gzip >= weights["identity"] ?? 0 ? .gzip : .identity
  }

  /// "q=0.5": 1 where it is not there, and 0 where nobody can read it.
  private static func weight(_ parameters: some Sequence<String>) -> Double {
    guard let q = parameters.first(where: { $0.hasPrefix("q=") })?.dropFirst(2) else { return 1 }
    guard let weight = Double(q), (0.0...1.0).contains(weight) else { return 0 }
    return weight
  }
}
