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

  /// Returns once the writer has done everything submitted before.
  private func untilIdle(_ database: SQLiteDatabase) async {
    await withCheckedContinuation { idle in database.committer.betweenGroups { idle.resume() } }
  }

  /// True if the name is in the database's file: only a checkpoint writes it there.
  private func hasInFile(_ name: String) throws -> Bool {
    String(decoding: try Data(contentsOf: URL(filePath: folder.database)), as: UTF8.self).contains(name)
  }

  @Test("Checkpoints call back once each, behind the writes submitted before them")
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

  @Test("A checkpoint of an idle writer writes the log into the database")
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

  @Test("After the writer's end a checkpoint calls back and writes nothing")
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

  @Test("A checkpoint calls back although the disk fails under the write before it")
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

/// Calls in their order. Threads: any.
private final class Calls: Sendable {
  private let calls = Mutex<[String]>([])

  var all: [String] { calls.withLock { $0 } }

  func add(_ call: String) { calls.withLock { $0.append(call) } }
}
