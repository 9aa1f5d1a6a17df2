import Store
import StoreTesting
import Testing

@Suite("Store health")
struct HealthTests {
  @Test("A healthy store is not full, and its disk check reports no refusal", arguments: StoreKind.allCases)
  func works(kind: StoreKind) async throws {
    let store = try StorePlace(kind).open()
    let account = try await store.addAccount()
    for _ in 0..<2 {
      _ = try await store.accepted(by: account)
      let check = await store.checkDisk()
      #expect(!check.isFull && check.refused == 0)
      #expect(store.diskFullMs == nil && store.unavailableSinceMs == nil && store.stopReason == nil)
    }
  }

  @Test("A store reports the size of its data and the space of the file system", arguments: StoreKind.allCases)
  func space(kind: StoreKind) async throws {
    let store = try StorePlace(kind).open()
    _ = try await store.published(2, by: store.addAccount())
    let space = store.space
    #expect(space.dataBytes >= 0 && space.logBytes >= 0 && space.dataBytes + space.logBytes > 0)
    // A size or free space of 0 means unknown.
    #expect(space.freeBytes >= 0 && (space.sizeBytes == 0 || space.freeBytes <= space.sizeBytes))
    #expect(space.fullMs == store.diskFullMs)
  }

  @Test("A cancelled wait for a failure of a healthy store returns no failure", arguments: StoreKind.allCases)
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
