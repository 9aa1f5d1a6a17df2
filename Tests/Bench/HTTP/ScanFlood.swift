import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Measures a login, a post and the state of a post, alone and during a flood of searches. Each search comes from
/// another address, and compares 100,000 posts with 49 values each.
struct ScanFlood {
  static let perSecond = 50
  private static let posts = 100_000

  let folder: URL
  let seconds: Int

  func measure(into table: inout Table) async throws {
    let deployment = try Deployment(folder: folder)
    let token = try await deployment.signUp()
    let sent = try await Pipeline.submit(to: deployment, tokens: [token], batch: 64, until: .posts(ScanFlood.posts))
    guard try await deployment.published(atLeast: sent, within: .seconds(60)) >= ScanFlood.posts else {
      throw BenchError("too few posts are published")
    }
    let post = try await ScanFlood.latest(deployment)
    let requests: [(name: String, path: String, body: String?)] = [
      ("GET /v2/posts/ID", "/v2/posts/\(post)", nil),
      ("POST /v2/posts", "/v2/posts", #"{"place":"Seattle, WA","link":"https://example.org/me"}"#),
      ("login", "/v2/session", #"{"email":"bench@example.org","password":"correct-horse"}"#),
    ]
    let query = try ScanFlood.query()
    for (name, path, body) in requests {
      func p99Ms() throws -> Double {
        try HTTPLoad.run(
          url: deployment.http + path, body: body, token: token, connections: 1, seconds: seconds, folder: folder
        ).p99Ms
      }
      let alone = try p99Ms()
      let flood = try RequestFlood(deployment.http, perSecond: ScanFlood.perSecond) { number in
        """
        GET /v1/StudentLocation?where=\(query) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
        X-Forwarded-For: \(RequestFlood.address(number))\r\n\r\n
        """
      }
      let (beside, statuses) = try await flood.run { try p99Ms() }
      table.add("scans: \(name) p99 ms, alone", alone)
      table.add("scans: the same beside \(ScanFlood.perSecond) searches/s", beside)
      table.add("scans: \(name) beside searches / alone", beside / alone, within: 0...3)
      for (status, count) in statuses.sorted(by: { $0.key < $1.key }) {
        table.add("scans: responses with \(status) to searches /s beside \(name)", Double(count) / Double(seconds))
      }
    }
  }

  private static func latest(_ deployment: Deployment) async throws -> String {
    guard let url = URL(string: deployment.http + "/v2/feed") else { throw BenchError("no address") }
    struct List: Decodable {
      struct Entry: Decodable { let id: String }
      let entries: [Entry]
    }
    let list = try JSONDecoder().decode(List.self, from: try await URLSession.shared.data(from: url).0)
    guard let first = list.entries.first else { throw BenchError("the list is empty") }
    return first.id
  }

  private static func query() throws -> String {
    let parts = (0..<49).map { #"{"mediaURL":{"$gt":"https://example.org/y\#($0)"}}"# }.joined(separator: ",")
    guard let query = "{\"$or\":[\(parts)]}".addingPercentEncoding(withAllowedCharacters: .alphanumerics) else {
      throw BenchError("a query cannot be encoded")
    }
    return query
  }
}
