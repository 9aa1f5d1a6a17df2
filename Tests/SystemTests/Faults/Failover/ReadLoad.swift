import Foundation
import Glibc
import Synchronization

/// Reads through gateways, beside posts. Any thread.
///
/// Each connection repeats a round of all kinds of reads: one open request at a time, and a short pause after each.
final class ReadLoad: Sendable {
  /// A kind of read, which must always get 200.
  enum Kind: String, CaseIterable, Sendable {
    case page, list, search, ownPosts
    /// The latest acknowledged post.
    case post
  }

  private struct State {
    var counts: [Kind: Int] = [:]
    var failures: [String: Int] = [:]
    var running = 0
    var isEnding = false
  }

  private let posts: PostLoad
  private let state = Mutex(State())

  /// Starts the reads.
  ///
  /// - Parameter posts: The load whose gateways and session the reads use.
  init(beside posts: PostLoad, connections: Int) {
    self.posts = posts
    state.withLock { $0.running = connections }
    for number in 0..<connections { Thread.detachNewThread { [self] in work(number) } }
  }

  /// The number of reads with status 200.
  var counts: [Kind: Int] { state.withLock { $0.counts } }

  /// All other reads, by kind and failure: "search 503 store_unavailable".
  var failures: [String: Int] { state.withLock { $0.failures } }

  /// Starts no further read. The threads end after their open request.
  func end() { state.withLock { $0.isEnding = true } }

  /// Starts no further read, and waits until each open read has its response.
  func finish() async throws {
    end()
    try await eventually("every read has a response") { state.withLock { $0.running == 0 } }
  }

  /// Reads over one connection.
  private func work(_ number: Int) {
    var connection = GatewayConnection(ports: posts.ports, number: number)
    while !state.withLock(\.isEnding) { for kind in Kind.allCases { read(kind, &connection) } }
    state.withLock { $0.running -= 1 }
  }

  private func read(_ kind: Kind, _ connection: inout GatewayConnection) {
    switch kind {
    case .page: _ = get(kind, "/", &connection)
    case .list: _ = get(kind, "/v2/feed", &connection)
    case .search: readPages(kind, "/v2/posts?scope=all&q=Paris&limit=5", &connection)
    case .ownPosts: readPages(kind, "/v2/posts?order=newest&limit=5", &connection)
    case .post:
      guard let id = posts.latestAnswer?.id, let response = get(kind, "/v2/posts/\(id)", &connection) else { return }
      if response["id"] != id { fail("\(kind) \(id) has the id \(response["id"] ?? "none")") }
    }
  }

  /// Reads the first page of a list, and the second one if there is one.
  private func readPages(_ kind: Kind, _ path: String, _ connection: inout GatewayConnection) {
    guard let next = get(kind, path, &connection)?["next"] else { return }
    _ = get(kind, "\(path)&after=\(next)", &connection)
  }

  /// Sends a request once, and records its outcome. Returns nil without a response of status 200.
  private func get(
    _ kind: Kind, _ path: String, _ connection: inout GatewayConnection
  ) -> BlockingConnection.Response? {
    guard !state.withLock(\.isEnding) else { return nil }
    defer { poll(nil, 0, 50) }
    let headers = ["Authorization": "Bearer \(posts.token)", "Accept": kind == .page ? "text/html" : "*/*"]
    switch connection.send("GET", path, headers: headers) {
    case .success(let response) where response.status == 200:
      state.withLock { $0.counts[kind, default: 0] += 1 }
      return response
    case .success(let response): fail("\(kind) \(response.kind)")
    case .failure(let failure): fail("\(kind) \(failure.kind)")
    }
    return nil
  }

  private func fail(_ failure: String) { state.withLock { $0.failures[failure, default: 0] += 1 } }
}
