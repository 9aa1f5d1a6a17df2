import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// A browser during a login. It keeps each site's cookies and follows redirects one at a time. It calls ingest's routes
/// directly, and providers over HTTP.
final class Browser {
  /// The cookies by site, such as "http://localhost", and by name.
  private(set) var cookies: [String: [String: String]] = [:]
  /// The cookies of the last response, with their attributes.
  private(set) var setCookies: [String] = []
  private var map: IngestFixture

  init(_ map: IngestFixture) { self.map = map }

  /// Returns the browser, with its cookies, connected to another ingest.
  func moved(to map: IngestFixture) -> Browser {
    self.map = map
    return self
  }

  /// - Parameter headers: Headers besides the browser's own cookies. They may hold further cookies.
  func get(_ address: String, headers: [String: String] = [:]) async throws -> APIResponse {
    let url = try #require(URLComponents(string: address), "\(address)")
    let host = try #require(url.host)
    let site = "http://\(host)" + (url.port.map { ":\($0)" } ?? "")
    let target = url.percentEncodedPath + (url.percentEncodedQuery.map { "?\($0)" } ?? "")
    var headers = headers
    let sent = (cookies[site] ?? [:]).map { "\($0)=\($1)" } + [headers["Cookie"]].compactMap(\.self)
    headers["Cookie"] = sent.isEmpty ? nil : sent.joined(separator: "; ")
    let response =
      if let port = url.port { try await fetch(host, port, target) } else {
        try await map.client.get(target, headers: headers)
      }
    setCookies = response.setCookies
    for set in setCookies {
      let pair = set.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = pair.count > 1 ? String(pair[1]) : ""
      cookies[site, default: [:]][String(pair[0])] = value.isEmpty || set.contains("Max-Age=0") ? nil : value
    }
    return response
  }

  private func fetch(_ host: String, _ port: Int, _ target: String) async throws -> APIResponse {
    let response = try await TestClient.withClient(
      host: host, port: port, configuration: .init(timeout: .seconds(120))
    ) { client in try await client.get(target) }
    let headers = response.headers.map { ($0.name.canonicalName, $0.value) }
    let body = response.body.map { Data($0.readableBytesView) } ?? Data()
    return APIResponse(status: response.status.code, headers: Dictionary(headers) { $0 + ", " + $1 }, body: body)
  }

  func forget(_ name: String) { for site in cookies.keys { cookies[site]?[name] = nil } }

  /// Returns the value of a site's cookie.
  func cookie(_ name: String, of site: String) -> String? { cookies[site]?[name] }
}
