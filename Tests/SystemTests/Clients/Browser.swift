import Foundation
import Testing

/// A browser during a login. It keeps each site's cookies and follows redirects one at a time.
final class Browser {
  /// The cookies by port and name.
  private(set) var cookies: [UInt16: [String: String]] = [:]
  /// The cookies of the last response, with their attributes.
  private(set) var setCookies: [String] = []

  /// - Parameter headers: Headers besides the browser's own cookies. They may hold further cookies.
  func get(_ address: String, headers: [String: String] = [:]) async throws -> APIResponse {
    let url = try #require(URLComponents(string: address), "\(address)")
    let port = try #require(url.port.flatMap { UInt16(exactly: $0) })
    let target = url.percentEncodedPath + (url.percentEncodedQuery.map { "?\($0)" } ?? "")
    var lines = ["GET \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close"]
    let sent = (cookies[port] ?? [:]).map { "\($0)=\($1)" } + [headers["Cookie"]].compactMap(\.self)
    if !sent.isEmpty { lines.append("Cookie: \(sent.joined(separator: "; "))") }
    lines += headers.filter { $0.key != "Cookie" }.map { "\($0): \($1)" }
    let connection = try Connection(port: port)
    try await connection.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    let response = try #require(APIResponse(raw: try await connection.receive()))
    setCookies = response.setCookies
    for set in setCookies {
      let pair = set.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = pair.count > 1 ? String(pair[1]) : ""
      cookies[port, default: [:]][String(pair[0])] = value.isEmpty || set.contains("Max-Age=0") ? nil : value
    }
    return response
  }

  /// Returns the value of a cookie of the site at a port.
  func cookie(_ name: String, of port: UInt16) -> String? { cookies[port]?[name] }
}
