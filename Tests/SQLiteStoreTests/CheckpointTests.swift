import Foundation
import GRDB
import Synchronization
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Checkpoints between writes")
struct CheckpointTests {
  private let folder = Folder()

  /// Returns once the writer has done everything submitted before.
  private func untilIdle(_ database: IngestDatabase) async throws {
    try await database.pool.writeWithoutTransaction { _ in }
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
      database.writer.submit({ _ in calls.add("write \(number)") }, then: { _ in })
      database.writer.checkpoint { calls.add("checkpoint \(number)") }
    }
    gate.open()
    try await untilIdle(database)
    #expect(calls.all == ["write 1", "write 2", "checkpoint 1", "checkpoint 2"])
  }

  @Test("A checkpoint of an idle writer writes the log into the database")
  func idle() async throws {
    let database = try folder.open()
    _ = try await database.addAccount("zebulon")
    try await untilIdle(database)
    #expect(try !hasInFile("zebulon"))
    let calls = Calls()
    database.writer.checkpoint { calls.add("checkpoint") }
    try await untilIdle(database)
    #expect(calls.all == ["checkpoint"])
    #expect(try hasInFile("zebulon"))
  }

  @Test("After the writer's end a checkpoint calls back and writes nothing")
  func ended() async throws {
    let database = try folder.open()
    _ = try await database.addAccount("zebulon")
    #expect(database.writer.end())
    let calls = Calls()
    database.writer.checkpoint { calls.add("checkpoint") }
    try await untilIdle(database)
    #expect(calls.all == ["checkpoint"])
    #expect(try !hasInFile("zebulon"))
  }

  @Test("A checkpoint calls back although the disk fails under the write before it")
  func failed() async throws {
    let database = try folder.open()
    let calls = Calls()
    let gate = await Gate(database)
    database.writer.submit({ _ in }, then: { _ in })
    database.writer.checkpoint { calls.add("checkpoint") }
    try FileManager.default.removeItem(atPath: folder.database)
    gate.open()
    try await untilIdle(database)
    #expect(database.writer.stopReason != nil)
    database.writer.checkpoint { calls.add("later checkpoint") }
    try await untilIdle(database)
    #expect(calls.all == ["checkpoint", "later checkpoint"])
  }
}

/// Calls in their order. Threads: any.
private final class Calls: Sendable {
  private let calls = Mutex<[String]>([])

  var all: [String] { calls.withLock { $0 } }

  func add(_ call: String) { calls.withLock { $0.append(call) } }
}
