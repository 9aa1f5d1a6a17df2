import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import Web

@testable import Ingest

/// The target for request headers. It checks two rules. The token of an accepted caller is in the Authorization header,
/// or in a cookie of a request that shows no sign of another site. Only a trusted proxy can change the client's
/// address.
enum HeaderTarget {
  private static let allowedOrigin = "https://partner.example"

  static func read(_ input: [UInt8]) throws -> Bool {
    var fields = HTTPFields()
    for line in String(decoding: input, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
      fields.append(HTTPField(name: name, value: String(parts[1])))
    }
    try proxies(fields)
    var isAccepted = false
    for origin in ["", "https://map.example"] {
      for method in [HTTPRequest.Method.get, .post] where try caller(fields, method, origin) { isAccepted = true }
    }
    return isAccepted
  }

  private static func caller(_ fields: HTTPFields, _ method: HTTPRequest.Method, _ origin: String) throws -> Bool {
    let site = Site(origin: origin, proxies: TrustedProxies(), allowedOrigins: [allowedOrigin])
    let head = HTTPRequest(
      method: method, scheme: "http", authority: "map.example", path: "/v2/posts", headerFields: fields)
    let request = Request(head: head, body: .init(buffer: ByteBuffer()))
    let token: String
    do { token = try AuthenticatedCaller.token(of: request, site: site) } catch {
      try Finding.unless(error.status == .unauthorized || error.code == "cross_site", "\(error)")
      return false
    }
    let message = "\(token.debugDescription) of \(fields)"
    try Finding.unless(token.utf8.count == Limits.sessionTokenBytes, message)
    if let header = fields[.authorization] {
      try Finding.unless(header.hasSuffix(token), message)
      return true
    }
    let cookies = fields[values: .cookie]
    try Finding.unless(cookies.contains { has($0, site.cookieName, token) }, message)
    guard method == .post else { return true }
    let own = ["https://map.example", "http://map.example", "map.example", origin]
    if let from = fields[.secFetchSite] {
      try Finding.unless(from == "same-origin" || from == "none", message)
    } else if let from = fields[.origin] {
      try Finding.unless(own.contains(from) || from.hasSuffix("/map.example"), message)
    }
    return true
  }

  /// Returns true if the cookies contain the name and the value. The library accepts several `=` between the two.
  private static func has(_ cookies: String, _ name: String, _ value: String) -> Bool {
    let (cookies, name, value) = (Array(cookies.utf8), Array("\(name)=".utf8), Array(value.utf8))
    return cookies.indices.contains { start in
      cookies[start...].starts(with: name)
        && cookies[(start + name.count)...].drop { $0 == UInt8(ascii: "=") }.starts(with: value)
    }
  }

  private static func proxies(_ fields: HTTPFields) throws {
    guard let peer = IPAddress("10.0.0.1"), let network = AddressRange("10.0.0.0/8") else { return }
    let chain = fields[values: .xForwardedFor]
    try Finding.unless(TrustedProxies().client(of: peer, forwardedFor: chain) == peer, "\(chain)")
    let client = TrustedProxies([network]).client(of: peer, forwardedFor: chain)
    try Finding.unless(IPAddress(client.description) == client, "\(chain) became \(client)")
    // A peer that is not a trusted proxy cannot claim another client's address.
    let stranger = IPAddress("192.0.2.1").map { TrustedProxies([network]).client(of: $0, forwardedFor: chain) }
    try Finding.unless(stranger?.description == "192.0.2.1", "\(chain)")
  }
}
