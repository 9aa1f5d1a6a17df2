import Foundation
import Testing

/// A run of `onthemap load`: real places at a fixed rate, and then a check of each post.
struct Load: Sendable {
  /// The results, by their names in the JSON.
  struct Figures: Decodable, Sendable {
    /// The latencies from the due time of a post, in milliseconds.
    struct Latencies: Decodable, Sendable {
      let p50: Double
      let p99: Double
      let max: Double
    }

    let accepted: Int
    let refused: Int
    /// The number of attempts without a usable response, by kind.
    let errorKinds: [String: Int]
    let unanswered: Int
    let acceptMs: Latencies
    let published: Int
    let queued: Int
    let lost: Int
    let duplicated: Int
    let listEqual: Bool
    let stateHash: String?
  }

  let program: Program

  /// Waits for the end of the run, prints its output and returns its results.
  func figures(within limit: Duration) async throws -> Figures {
    let status = try await program.exit(within: limit)
    #expect(status == 0, "\(program.standardError)")
    FileHandle.standardError.write(Data(program.standardOutput.utf8))
    return try JSONDecoder().decode(Figures.self, from: Data(program.standardOutput.utf8))
  }
}

extension SystemFixture {
  /// Starts a load, over all gateways if there are some. On return its first posts are published.
  func load(on services: Services, rate: Int, seconds: Int) async throws -> Load {
    let servers = services.gateways.isEmpty ? [try services.client] : try services.gatewayClients
    let program = try program([
      "load", "--server", servers.map(\.base).joined(separator: ","), "--feed", try services.publish, "--rate",
      "\(rate)", "--duration", "\(seconds)", "--json",
    ])
    try program.start()
    try await eventually("the first posts are published") { try await services.client.list().seq > 0 }
    return Load(program: program)
  }
}
