import NIOCore
import Testing

@testable import Ingest

@Suite("Cache of the latest list")
struct LatestListCacheTests {
  private func text(_ bytes: ByteBuffer) -> String { String(buffer: bytes) }

  /// Returns true if both buffers share one storage, so that the bytes were encoded once.
  private func areOne(_ first: ByteBuffer, _ second: ByteBuffer) -> Bool {
    first.withUnsafeReadableBytes { first in
      second.withUnsafeReadableBytes { second in first.baseAddress == second.baseAddress }
    }
  }

  @Test("Each API's list is encoded once, and again after a change")
  func change() async throws {
    let map = try IngestFixture()
    let latest = map.components.queue.latest
    let client = try await map.client.signedUp()
    let (native, classic) = (try await latest.native(), try await latest.compat())
    #expect(text(native).contains("\"entries\":[]") && text(classic) == "{\"results\":[]}")
    let again = (native: try await latest.native(), classic: try await latest.compat())
    #expect(areOne(native, again.native) && areOne(classic, again.classic))
    // The store reports a settlement before the client gets its response.
    #expect(try await client.post("Oslo", wait: 30)["state"] == "published")
    let (later, laterClassic) = (try await latest.native(), try await latest.compat())
    #expect(text(later).contains("\"place\":\"Oslo\"") && text(laterClassic).contains("\"mapString\":\"Oslo\""))
    let laterAgain = (native: try await latest.native(), classic: try await latest.compat())
    #expect(areOne(later, laterAgain.native) && areOne(laterClassic, laterAgain.classic))
  }

  @Test("A list that changes during its read is not cached")
  func race() async throws {
    let map = try IngestFixture()
    let latest = map.components.queue.latest
    let client = try await map.client.signedUp()
    // Readers and a writer run concurrently. The cached list must equal the store's list in the end.
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
