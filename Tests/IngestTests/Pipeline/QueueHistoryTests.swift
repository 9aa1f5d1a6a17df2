import Domain
import Foundation
import Logging
import Messaging
import SQLiteStore
import Store
import Testing

@testable import Ingest

@Suite("Queue history")
struct QueueHistoryTests {
  private func sample(atMs: Int64) -> QueueHistory.Sample {
    .init(
      atMs: atMs, depth: 1, dead: 0, oldestMs: 0, accepted: 0, settled: 0, failed: 0, workers: 1, subscribers: 0)
  }

  @Test("The history keeps one hour of samples and returns the samples since a time")
  func ring() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-ingest-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try SQLiteDatabase(
      folder: folder.path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let history = QueueHistory(database: database, inspector: QueueInspector(CommandQueue(WakeupEvent())))
    #expect(Int64(Limits.queueHistorySamples) * Limits.queueHistoryStepMs == 3_600_000)
    let count = Int64(Limits.queueHistorySamples)
    for number in 1...count { history.add(sample(atMs: number)) }
    #expect(history.samples(sinceMs: 0).map(\.atMs) == Array(1...count))
    history.add(sample(atMs: count + 1))
    #expect(history.samples(sinceMs: 0).map(\.atMs) == Array(2...count + 1))
    #expect(history.samples(sinceMs: count).map(\.atMs) == [count, count + 1])
    #expect(history.samples(sinceMs: count + 2).isEmpty)
  }

  @Test("An inspection of a silent reactor returns nil")
  func silent() async {
    let inspector = QueueInspector(CommandQueue(WakeupEvent()))
    if await inspector.liveState(about: .status) != nil { Issue.record("A silent reactor returned a state.") }
  }
}
