/// The proxies in front of a service that its operator has named: only what they say of a request's origin counts.
/// Anybody can send such a header.
package struct TrustedProxies: Sendable {
  private let ranges: [AddressRange]

  /// - Parameter ranges: empty where clients connect directly.
  package init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

  /// Whether none is named.
  package var isEmpty: Bool { ranges.isEmpty }

  /// Whether it is one of them.
  package func contains(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

  /// Who has sent a request: the last in the chain whom no trusted proxy has called one of its own.
  ///
  /// - Parameters:
  ///   - peer: who has connected.
  ///   - forwardedFor: the values of `X-Forwarded-For`, in the order in which they came: each proxy adds its peer at
  ///     the end.
  package func client(of peer: IPAddress, forwardedFor: [String]) -> IPAddress {
    var client = peer
    let chain = forwardedFor.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
    for text in chain.reversed() {
      // What is no address was there before the last proxy that can be trusted, or that one is not what it seems.
      guard contains(client), let before = IPAddress(String(text).trimmedLine) else {
        return client
      }
      client = before
    }
    return client
  }
}
