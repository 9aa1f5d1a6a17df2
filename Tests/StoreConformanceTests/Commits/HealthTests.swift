import Store
import StoreTesting
import Testing

@Suite("The health of a store")
struct HealthTests {
  @Test("A store that works is not full, and its check refuses nothing", arguments: StoreKind.allCases)
  func works(kind: StoreKind) async throws {
    let store = try StorePlace(kind).open()
    let account = try await store.addAccount()
    for _ in 0..<2 {
      _ = try await store.accepted(by: account)
      let check = await store.checkDisk()
      #expect(!check.isFull && check.refused == 0)
      #expect(store.diskFullMs == nil && store.stopReason == nil)
    }
  }

  @Test("A store names the space of its data, within that of the file system", arguments: StoreKind.allCases)
  func space(kind: StoreKind) async throws {
    let store = try StorePlace(kind).open()
    _ = try await store.published(2, by: store.addAccount())
    let space = store.space
    #expect(space.dataBytes >= 0 && space.logBytes >= 0 && space.dataBytes + space.logBytes > 0)
    // A size or a free space of 0 is not known.
    #expect(space.freeBytes >= 0 && (space.sizeBytes == 0 || space.freeBytes <= space.sizeBytes))
    #expect(space.fullMs == store.diskFullMs)
  }

  @Test("A cancelled wait for the failure of a store that works ends without one", arguments: StoreKind.allCases)
  func noFailure(kind: StoreKind) async throws {
    let store = try StorePlace(kind).open()
    let account = try await store.addAccount()
    let wait = Task { await store.failure() }
    _ = try await store.accepted(by: account)
    wait.cancel()
    let failure = await wait.value
    #expect(failure == nil && store.stopReason == nil)
    _ = try await store.accepted(by: account)
  }
}
