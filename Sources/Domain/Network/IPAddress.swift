import Glibc

/// An IP address. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) equals its IPv4 address.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// The 16 bytes of the address as IPv6, in network order.
  fileprivate let bytes: [UInt8]

  fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

  /// Parses "192.0.2.1" or "2001:db8::1". Nil for any other text.
  package init?(_ text: some StringProtocol) {
    let text = String(text)
    // `inet_pton` would read only up to a zero byte.
    guard !text.utf8.contains(0) else { return nil }
    var four = [UInt8](repeating: 0, count: 4)
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = IPAddress.mapped + four
      return
    }
    var sixteen = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, text, &sixteen) == 1 else { return nil }
    bytes = sixteen
  }

  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    _ =
      isIPv4
      ? inet_ntop(AF_INET, Array(bytes.suffix(4)), &text, socklen_t(text.count))
      : inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
  }

  /// Network of a typical client: an IPv4 address itself, or the /64 of an IPv6 address. An IPv6 client can send every
  /// request from another address of its /64 (RFC 6177, section 2).
  package var network: IPAddress {
    isIPv4 ? self : IPAddress(bytes: bytes.prefix(8) + [UInt8](repeating: 0, count: 8))
  }

  /// Block of addresses that an internet provider usually gets: the /16 of an IPv4 address, or the /32 of an IPv6
  /// address (RIPE-738, section 5.1).
  package var block: IPAddress {
    let bits = isIPv4 ? 112 : 32
    return IPAddress(bytes: AddressRange.cut(bytes, bits))
  }

  /// True if the address belongs to the machine itself (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3).
  package var isLoopback: Bool { isIPv4 ? bytes[12] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1] }

  fileprivate var isIPv4: Bool { bytes.starts(with: IPAddress.mapped) }

  private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
}

/// Range of addresses with a common prefix (RFC 4632, section 3.1).
package struct AddressRange: Sendable, Hashable {
  private let first: IPAddress
  /// Length of the prefix as IPv6, in bits, 0 … 128.
  private let bits: Int

  /// Parses "10.0.0.0/8", "fd00::/8", or a single address. Nil for any other text, and for bits after the prefix,
  /// which are usually a mistake.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
    let width = address.isIPv4 && !parts[0].contains(":") ? 32 : 128
    var length = width
    if parts.count == 2 {
      guard let count = Int(parts[1]), (0...width).contains(count), parts[1].allSatisfy(\.isNumber) else { return nil }
      length = count
    }
    bits = 128 - width + length
    first = address
    guard AddressRange.cut(address.bytes, bits) == address.bytes else { return nil }
  }

  /// Returns true if the address has the range's prefix.
  package func contains(_ address: IPAddress) -> Bool { AddressRange.cut(address.bytes, bits) == first.bytes }

  /// Returns the address with all bits after the first `bits` set to zero.
  fileprivate static func cut(_ bytes: [UInt8], _ bits: Int) -> [UInt8] {
    bytes.enumerated().map { index, byte in
      let kept = min(max(0, bits - 8 * index), 8)
      return byte & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
    }
  }
}
