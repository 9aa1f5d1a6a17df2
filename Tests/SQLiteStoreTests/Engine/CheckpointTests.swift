import Foundation
import GRDB
import Store
import StoreTesting
import Synchronization
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Checkpoints between writes")
struct CheckpointTests {
  private let folder = Folder()

  /// Returns when the writer has finished all earlier submissions.
  private func untilIdle(_ database: SQLiteDatabase) async {
    await withCheckedContinuation { idle in database.committer.betweenGroups { idle.resume() } }
  }

  /// Returns true if the database file contains the name. Only a checkpoint writes it there.
  private func hasInFile(_ name: String) throws -> Bool {
    String(decoding: try Data(contentsOf: URL(filePath: folder.database)), as: UTF8.self).contains(name)
  }

  @Test("Checkpoints call back once each, after the earlier writes")
  func order() async throws {
    let database = try folder.open()
    let calls = Calls()
    let gate = await Gate(database)
    for number in 1...2 {
      database.submit({ _ in calls.add("write \(number)") }, then: { _ in })
      database.committer.checkpoint { calls.add("checkpoint \(number)") }
    }
    gate.open()
    await untilIdle(database)
    #expect(calls.all == ["write 1", "write 2", "checkpoint 1", "checkpoint 2"])
  }

  @Test("A checkpoint of an idle writer moves the WAL into the database")
  func idle() async throws {
    let database = try folder.open()
    _ = try await database.addAccount("zebulon")
    await untilIdle(database)
    #expect(try !hasInFile("zebulon"))
    let calls = Calls()
    database.committer.checkpoint { calls.add("checkpoint") }
    await untilIdle(database)
    #expect(calls.all == ["checkpoint"])
    #expect(try hasInFile("zebulon"))
  }

  @Test("A checkpoint after the writer's end calls back and writes nothing")
  func ended() async throws {
    let database = try folder.open()
    _ = try await database.addAccount("zebulon")
    #expect(database.committer.end())
    let calls = Calls()
    database.committer.checkpoint { calls.add("checkpoint") }
    await untilIdle(database)
    #expect(calls.all == ["checkpoint"])
    #expect(try !hasInFile("zebulon"))
  }

  @Test("A checkpoint calls back even if the disk fails in an earlier write")
  func failed() async throws {
    let database = try folder.open()
    let calls = Calls()
    let gate = await Gate(database)
    database.submit({ _ in }, then: { _ in })
    database.committer.checkpoint { calls.add("checkpoint") }
    try FileManager.default.removeItem(atPath: folder.database)
    gate.open()
    await untilIdle(database)
    #expect(database.stopReason != nil)
    database.committer.checkpoint { calls.add("later checkpoint") }
    await untilIdle(database)
    #expect(calls.all == ["checkpoint", "later checkpoint"])
  }
}

/// Records calls in order. Any thread may call.
private final class Calls: Sendable {
  private let calls = Mutex<[String]>([])

  var all: [String] { calls.withLock { $0 } }

  func add(_ call: String) { calls.withLock { $0.append(call) } }
}
