import Foundation
import FoundationNetworking
import Synchronization
import Testing

/// A series of posts from one client. Each post has its own idempotency key, and is resent until a response comes.
final class Stream: Sendable {
  let client: Client
  let count: Int
  private struct State {
    var ids: [String] = []
    /// Actions by the number of accepted posts at which they run.
    var moments: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())
  private let allowed = Mutex(Int.max)

  init(_ client: Client, count: Int) {
    self.client = client
    self.count = count
  }

  /// The ids of the posts that got a 2xx response so far.
  var accepted: [String] { state.withLock { $0.ids } }

  private static let places = [
    "Costa Rica", "Seattle, WA", "Paris, TX", "München", "東京", "sao paulo brazil", "Nairobi", "Wellington, NZ",
    "Québec",
    "Kraków", "Lagos", "Reykjavík",
  ]

  /// Limits the stream to its first `count` posts.
  func allow(_ count: Int) { allowed.withLock { $0 = count } }

  /// Sends all posts, eight in parallel, with a timeout of two minutes each.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for start in 0..<8 {
        group.addTask { [self] in
          for index in stride(from: start, to: count, by: 8) { try await send(index) }
        }
      }
      try await group.waitForAll()
    }
  }

  private func send(_ index: Int) async throws {
    try await eventually("post \(index) may be sent") { allowed.withLock { index < $0 } }
    let id = try await eventually("post \(index) gets a response") { () -> String? in
      // Resend a request that fails while a process is down: the key makes this safe.
      let response = try? await client.post(Self.places[index % Self.places.count], key: "post-\(index)")
      guard let response, response.status != 503 else { return nil }
      #expect(response.status == 202 || response.status == 200)
      return response["id"]
    }
    let act = state.withLock { state in
      state.ids.append(id)
      return state.moments.removeValue(forKey: state.ids.count)
    }
    act?()
  }

  /// Waits until `count` posts are accepted.
  ///
  /// - Parameter act: Called at that moment by the task that sent the post. Up to seven other tasks continue.
  func reached(_ count: Int, _ act: @escaping @Sendable () -> Void = {}) async throws {
    let isReached = state.withLock { state in
      if state.ids.count < count { state.moments[count] = act }
      return state.ids.count >= count
    }
    if isReached { act() }
    try await eventually("\(count) posts are accepted") { accepted.count >= count }
  }

  /// Waits until all posts are settled. Expects the store to contain exactly the accepted posts, each published once.
  func expectAll() async throws {
    #expect(accepted.count == count && Set(accepted).count == count)
    try await eventually("all posts are settled") {
      try await client.posts().allSatisfy { $0.state != "queued" }
    }
    let posts = try await client.posts()
    #expect(posts.map(\.id).sorted() == accepted.sorted())
    #expect(posts.allSatisfy { $0.state == "published" })
    // Sequence numbers without gaps or duplicates: each post was published once.
    let list = try await client.list()
    #expect(posts.compactMap(\.seq).sorted() == Array(1...list.seq))
    #expect(list.seq == UInt64(count))
  }
}
