import Testing

@testable import Domain

@Suite("IP addresses and trusted proxies")
struct IPAddressTests {
  @Test(
    "An IP address is parsed strictly and printed in one canonical form",
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("::1", "::1"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"),
      ("::ffff:192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("", nil), ("1.2.3", nil), ("1.2.3.4.5", nil),
      ("256.0.0.1", nil), ("01.2.3.4", nil), ("1.2.3.4 ", nil), ("1.2.3.4\0", nil), ("fe80::1%eth0", nil),
      ("[::1]", nil), ("1.2.3.4:80", nil), ("localhost", nil), ("::1::", nil),
    ])
  func text(text: String, written: String?) { #expect(IPAddress(text)?.description == written) }

  @Test("The network of an address is itself for IPv4 and its /64 for IPv6")
  func network() throws {
    for (address, network) in [
      ("192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"), ("::ffff:10.0.0.1", "10.0.0.1"),
    ] { #expect(IPAddress(address)?.network.description == network) }
  }

  @Test("The block of an address is its /16 for IPv4 and its /32 for IPv6")
  func block() throws {
    for (address, block) in [
      ("192.0.2.1", "192.0.0.0"), ("::ffff:10.9.8.7", "10.9.0.0"), ("2001:db8:1:2:3:4:5:6", "2001:db8::"),
    ] { #expect(IPAddress(address)?.block.description == block) }
  }

  @Test(
    "A range contains exactly the addresses with its prefix",
    arguments: [
      ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.1.1"], ["9.255.255.255", "11.0.0.0", "::10.0.0.1"]),
      ("192.0.2.128/25", ["192.0.2.128", "192.0.2.255"], ["192.0.2.127", "192.0.3.128"]),
      ("192.0.2.1", ["192.0.2.1"], ["192.0.2.2", "192.0.2.0"]), ("0.0.0.0/0", ["1.2.3.4"], ["::1"]),
      ("fd00::/8", ["fd12::1"], ["fe00::1", "10.0.0.1"]), ("::1/128", ["::1"], ["::2"]),
      ("::/0", ["::1", "1.2.3.4"], []),
    ])
  func range(text: String, within: [String], without: [String]) throws {
    let range = try #require(AddressRange(text))
    for address in within { #expect(range.contains(try #require(IPAddress(address))), "\(address)") }
    for address in without { #expect(!range.contains(try #require(IPAddress(address))), "\(address)") }
  }

  @Test(
    "A malformed range, or one with bits after its prefix, is refused",
    arguments: [
      "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.1/8", "::1/64", "::/129", "a/8",
      "10/8",
    ])
  func noRange(text: String) { #expect(AddressRange(text) == nil) }

  @Test(
    "The client is the right-most forwarded address that is not a trusted proxy",
    arguments: [
      ([], "192.0.2.1", ["203.0.113.5"], "192.0.2.1"),
      (["10.0.0.0/8"], "192.0.2.1", ["203.0.113.5"], "192.0.2.1"),
      (["10.0.0.0/8"], "10.0.0.1", [], "10.0.0.1"),
      (["10.0.0.0/8"], "10.0.0.1", ["203.0.113.5"], "203.0.113.5"),
      (["10.0.0.0/8"], "10.0.0.1", ["1.1.1.1, 203.0.113.5"], "203.0.113.5"),
      (["10.0.0.0/8"], "10.0.0.1", ["1.1.1.1", "203.0.113.5 , 10.0.0.2"], "203.0.113.5"),
      (["10.0.0.0/8"], "10.0.0.1", ["203.0.113.5, who knows"], "10.0.0.1"),
      (["10.0.0.0/8"], "10.0.0.1", ["203.0.113.5, "], "10.0.0.1"),
      (["10.0.0.0/8"], "10.0.0.1", ["10.0.0.3,10.0.0.2"], "10.0.0.3"),
      (["10.0.0.0/8", "::1"], "::1", ["2001:db8::1", "10.9.9.9"], "2001:db8::1"),
    ] as [([String], String, [String], String)])
  func proxies(trusted: [String], peer: String, forwarded: [String], client: String) throws {
    let proxies = TrustedProxies(try trusted.map { try #require(AddressRange($0)) })
    let address = try #require(IPAddress(peer))
    #expect(proxies.client(of: address, forwardedFor: forwarded).description == client)
  }
}
