import Foundation
import Logging
import OnTheMap
import Testing

@testable import Feed

@Suite("The list on disk")
struct ListKeeperTests {
  @Test("While changes come all the time it is written every two seconds: no more often, and no further behind")
  func pace() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-feed-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let latest = LatestList()
    let keeper = ListKeeper(
      folder: folder.path, latest: latest, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let epoch = try #require(Epoch(Array(repeating: 7, count: 16)))
    let running = Task { await keeper.run() }
    defer { running.cancel() }
    let start = ContinuousClock.now
    /// When each list was told; the first has the number 1.
    var toldAt: [ContinuousClock.Instant] = []
    var kept: [Int] = [0]
    var behind = Duration.zero
    while ContinuousClock.now - start < .seconds(5) {
      toldAt.append(.now)
      latest.replace(FeedState(epoch: epoch, seq: UInt64(toldAt.count), entries: []))
      try await Task.sleep(for: .milliseconds(20))
      let seq = Int(keeper.read()?.seq ?? 0)
      if seq > kept[kept.count - 1] { kept.append(seq) }
      // Behind since the first that the disk has not.
      if seq < toldAt.count { behind = max(behind, ContinuousClock.now - toldAt[seq]) }
    }
    #expect((1...2).contains(kept.count - 1), "It was written as \(kept).")
    #expect(behind > .seconds(1) && behind < .seconds(3))
  }
}
