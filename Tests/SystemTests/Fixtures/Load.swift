import Foundation
import Testing

/// `onthemap load` at work: real places at a fixed rate, and afterwards a look at what became of each.
struct Load: Sendable {
  /// What it found, by the names in its JSON.
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

  /// Waits for its end, and tells people what it found.
  func figures(within limit: Duration) async throws -> Figures {
    let status = try await program.exit(within: limit)
    #expect(status == 0, "\(program.standardError)")
    FileHandle.standardError.write(Data(program.standardOutput.utf8))
    return try JSONDecoder().decode(Figures.self, from: Data(program.standardOutput.utf8))
  }
}

extension SystemFixture {
  /// A load that has begun: its first posts are published.
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
