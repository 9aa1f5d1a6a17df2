import Domain

/// The values of a header such as `Accept-Encoding` or `Accept-Language` with their weights. (RFC 9110, 12.4.2.)
package struct QualityValues: Sendable {
  /// Each value in lower case, in the header's order, with its weight from 0 to 1.
  package let all: [(value: String, weight: Double)]

  /// Parses a header. A nil header is absent, and has no values.
  package init(_ header: String?) {
    all = (header ?? "").split(separator: ",").map { element in
      let parts = element.split(separator: ";", omittingEmptySubsequences: false).map {
        String($0).trimmedLine.lowercased()
      }
      return (parts[0], QualityValues.weight(parts.dropFirst()))
    }
  }

  /// The values with a weight above 0, in descending order of weight. Equal weights keep the header's order.
  package var preferred: [String] {
    all.enumerated().filter { $0.element.weight > 0 }
      .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element.value)
  }

  /// Returns a value's weight, such as 0.5 of "q=0.5". Returns 1 for a missing weight, and 0 for an invalid weight.
  private static func weight(_ parameters: some Sequence<String>) -> Double {
    guard let q = parameters.first(where: { $0.hasPrefix("q=") })?.dropFirst(2) else { return 1 }
    guard let weight = Double(q), (0.0...1.0).contains(weight) else { return 0 }
    return weight
  }
}
