import Domain
import Foundation
import HTTPClient

/// Reader of ingest's store over HTTP. The store is the reference for a run.
struct StoreReader: Sendable {
  /// The list in the store.
  struct List: Decodable, Sendable {
    let epoch: String
    let seq: UInt64
    /// Hash of the list: 16 hexadecimal digits.
    let stateHash: String
  }

  /// A post of the account.
  struct Post: Decodable, Sendable {
    struct Reason: Decodable, Sendable {
      let code: String
    }

    let id: String
    let state: String
    let link: String
    let reason: Reason?
  }

  private struct Page: Decodable {
    let posts: [Post]
    let next: String?
  }

  let api: API

  /// Returns the list in the store.
  ///
  /// - Throws: `LoadTestError` for a refusal, or if the server gives no usable response for a minute.
  func list() async throws -> List { try await get("/v2/feed") }

  /// Passes the account's own posts to `handle`, oldest first, a thousand at a time.
  ///
  /// - Parameter after: The post before the first one. Nil for all posts.
  /// - Throws: `LoadTestError`, as `list` does.
  func posts(after: PostID?, _ handle: ([Post]) -> Void) async throws {
    var after = after?.description
    repeat {
      let page: Page = try await get(
        "/v2/posts?limit=\(Limits.pagePostsMax)" + (after.map { "&after=\($0)" } ?? ""))
      handle(page.posts)
      after = page.next
    } while after != nil
  }

  private func get<Value: Decodable>(_ path: String) async throws -> Value {
    let untilNs = RunClock.nowNs + LoadLimits.storeNs
    while true {
      var problem = ""
      do {
        let response = try await api.send("GET", path: path)
        if response.status == 200 { return try JSONDecoder().decode(Value.self, from: response.body) }
        problem = response.problem
        guard response.status >= 500 || response.status == 429 else {
          throw LoadTestError.storeUnreadable(path: path, problem: problem)
        }
      } catch let failure as FetchFailure {
        problem = failure.description
      }
      guard RunClock.nowNs < untilNs else {
        throw LoadTestError.storeUnreadable(path: path, problem: problem)
      }
      try await Task.sleep(for: .milliseconds(Int.random(in: LoadLimits.storeRetryMs)))
    }
  }
}
