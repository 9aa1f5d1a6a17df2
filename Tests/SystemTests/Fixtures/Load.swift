import Foundation
import Testing

/// A run of `onthemap load`: real places at a fixed rate, and then a check of each post.
struct Load: Sendable {
  /// The results, by their names in the JSON.
  struct Figures: Decodable, Sendable {
    let accepted: Int
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
  /// Starts a load. On return its first posts are published.
  func load(on services: Services, rate: Int, seconds: Int) async throws -> Load {
    let program = try program([
      "load", "--server", try services.client.base, "--feed", try services.publish, "--rate", "\(rate)", "--duration",
      "\(seconds)", "--json",
    ])
    try program.start()
    try await eventually("the first posts are published") { try await services.client.list().seq > 0 }
    return Load(program: program)
  }
}
