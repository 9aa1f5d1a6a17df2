import Domain
import Store
import StoreTesting
import Testing

@Suite("Store start")
struct StartTests {
  @Test("A new store is empty, and each start has a higher generation", arguments: StoreKind.allCases)
  func generations(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    var generations: [UInt32] = []
    var epochs: Set<Epoch> = []
    for _ in 0..<3 {
      let store = try place.open()
      let start = try store.start()
      #expect(start.jobs.isEmpty && start.list.entries.isEmpty && start.list.seq == 0)
      #expect(start.pausedMs == nil && start.closedAccounts.isEmpty)
      generations.append(start.generation)
      epochs.insert(start.list.epoch)
      store.close()
    }
    #expect(generations == generations.sorted() && Set(generations).count == 3)
    #expect(epochs.count == 1)
    #expect(try StorePlace(kind).open().start().list.epoch != epochs.first, "Another store has another epoch.")
  }

  @Test("A closed store refuses writes with `stopped`, and keeps its data", arguments: StoreKind.allCases)
  func closed(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let store = try place.open()
    let account = try await store.addAccount()
    let id = try await store.accepted(by: account).id
    #expect(store.stopReason == nil && store.commits.count > 0)
    store.close()
    let error = await #expect(throws: StoreError.self) { try await store.accepted(by: account) }
    guard case .stopped? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(store.stopReason != nil)
    #expect(try place.open().unsettledJobs().map(\.job.id) == [JobID(id)])
  }
}
