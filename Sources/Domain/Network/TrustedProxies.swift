/// Reverse proxies that the operator trusts. The `X-Forwarded-For` of other peers does not count, because any client
/// can send such a header.
package struct TrustedProxies: Sendable {
  private let ranges: [AddressRange]

  /// - Parameter ranges: Addresses of the proxies. Empty if clients connect without a proxy.
  package init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

  /// True if there is no trusted proxy.
  package var isEmpty: Bool { ranges.isEmpty }

  /// Returns true if the address belongs to a trusted proxy.
  package func contains(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

  /// Returns the client of a request: the right-most forwarded address that is not a trusted proxy.
  ///
  /// - Parameters:
  ///   - peer: Address of the connection's other end.
  ///   - forwardedFor: Values of `X-Forwarded-For`, in the order of the headers. Each proxy appends its peer.
  package func client(of peer: IPAddress, forwardedFor: [String]) -> IPAddress {
    var client = peer
    let chain = forwardedFor.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
    for text in chain.reversed() {
      // Only the entry of a trusted proxy counts. Text that is not an address does not come from a trusted proxy.
      guard contains(client), let before = IPAddress(String(text).trimmedLine) else {
        return client
      }
      client = before
    }
    return client
  }
}
