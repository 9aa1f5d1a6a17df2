import Domain
import NIOCore
import Testing

@testable import Ingest
@testable import Web

@Suite("Cache of the latest list")
struct LatestListCacheTests {
  private func text(_ bytes: ByteBuffer) -> String { String(buffer: bytes) }

  private func text(_ list: ListRevision) -> String { text(list.body(.all, .identity).0) }

  /// Returns true if both buffers share one storage, so that the bytes were encoded once.
  private func shareStorage(_ first: ByteBuffer, _ second: ByteBuffer) -> Bool {
    first.withUnsafeReadableBytes { first in
      second.withUnsafeReadableBytes { second in first.baseAddress == second.baseAddress }
    }
  }

  @Test("Each API's list is encoded once, and again after a change")
  func change() async throws {
    let map = try IngestFixture()
    let latest = map.components.queue.latest
    let client = try await map.client.signedUp()
    let (native, compat) = (try await latest.native(), try await latest.compat())
    #expect(text(native).contains("\"entries\":[]") && text(compat) == "{\"results\":[]}")
    let again = (native: try await latest.native(), compat: try await latest.compat())
    #expect(native === again.native && shareStorage(compat, again.compat))
    // The store reports a settlement before the client gets its response.
    #expect(try await client.post("Oslo", wait: 30)["state"] == "published")
    let (updated, updatedCompat) = (try await latest.native(), try await latest.compat())
    #expect(text(updated).contains("\"place\":\"Oslo\"") && text(updatedCompat).contains("\"mapString\":\"Oslo\""))
    let updatedAgain = (native: try await latest.native(), compat: try await latest.compat())
    #expect(updated === updatedAgain.native && shareStorage(updatedCompat, updatedAgain.compat))
  }

  @Test("A list that changes during its read is not cached")
  func race() async throws {
    let map = try IngestFixture()
    let latest = map.components.queue.latest
    let client = try await map.client.signedUp()
    // Readers and a writer run concurrently. The cached list must equal the store's list in the end.
    for round in 0..<10 {
      async let read: [ListRevision] = withThrowingTaskGroup { group in
        for _ in 0..<8 { group.addTask { try await latest.native() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(try await client.post("Oslo \(round)", wait: 30)["state"] == "published")
      _ = try await read
      #expect(text(try await latest.native()).contains("\"place\":\"Oslo \(round)\""))
    }
  }
}
