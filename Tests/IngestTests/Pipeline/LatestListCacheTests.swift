import NIOCore
import Testing

@testable import Ingest

@Suite("The list as bytes")
struct LatestListCacheTests {
  private func text(_ bytes: ByteBuffer) -> String { String(buffer: bytes) }

  @Test("Each API's bytes are made once, and anew after a change")
  func change() async throws {
    let map = try IngestStage()
    let latest = map.components.queue.latest
    let client = try await map.client.signedUp()
    let (native, classic) = (text(try await latest.native()), text(try await latest.classic()))
    #expect(native.contains("\"entries\":[]") && classic == "{\"results\":[]}")
    // A change that nobody has told is not seen: the bytes are those of before.
    #expect(try await client.post("Oslo", wait: 30)["state"] == "published")
    let published = text(try await latest.native())
    #expect(published.contains("\"place\":\"Oslo\""), "A settlement tells its change before the client has its answer.")
    #expect(text(try await latest.classic()).contains("\"mapString\":\"Oslo\""))
    #expect(text(try await latest.native()) == published)
  }

  @Test("A list that is read while it changes is not kept")
  func race() async throws {
    let map = try IngestStage()
    let latest = map.components.queue.latest
    let client = try await map.client.signedUp()
    // Readers and a writer side by side; what is kept in the end must be the store's list.
    for round in 0..<10 {
      async let read: [ByteBuffer] = withThrowingTaskGroup { group in
        for _ in 0..<8 { group.addTask { try await latest.native() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(try await client.post("Oslo \(round)", wait: 30)["state"] == "published")
      _ = try await read
      #expect(text(try await latest.native()).contains("\"place\":\"Oslo \(round)\""))
    }
  }
}
