import Foundation
import Glibc
import Testing

/// What the fault suite is to be, by the environment, and what this machine can do.
enum Fault {
  /// All of it: `make faults`. Otherwise the quick part.
  static let isFull = ProcessInfo.processInfo.environment["FAULTS"] != nil
  static let isRoot = geteuid() == 0
  static let full: Comment = "only in full runs: make faults"

  /// A command's end: its status and what it has said.
  @discardableResult
  static func command(_ arguments: String...) throws -> (status: Int32, said: String) {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  static func has(_ command: String) -> Bool {
    (try? self.command("sh", "-c", "command -v \(command)"))?.status == 0
  }

  /// Says something to whoever reads the run.
  static func printLine(_ line: String) { FileHandle.standardError.write(Data("faults: \(line)\n".utf8)) }
}

/// The product under traffic, with a subscriber that stays: something goes wrong, then it is calm, and then every post
/// is held against the ledger.
struct Trial: Sendable {
  let map: Services
  let client: Client
  let ledger: Ledger
  let traffic: Traffic
  let watcher: Watcher

  /// Ingest's folder.
  static var data: String { SystemFixture.current.path("data") }

  /// Posts are coming when it returns.
  ///
  /// - Parameter submit: where producers connect, if not at ingest itself.
  init(on map: Services, submit: String? = nil) async throws {
    self.map = map
    client = try await map.client.signedUp()
    ledger = Ledger()
    watcher = try await SystemFixture.current.watcher(of: map)
    traffic = Traffic(client, submit: try submit ?? map.submit, ledger: ledger)
    try await ledger.advance(by: 50)
  }

  /// What was found in the end.
  struct Verdict {
    let counts: [Ledger.Class: Int]
    let settled: Duration
  }

  /// Ends the traffic after the last fault, waits until all posts are settled, and expects nothing wrong anywhere.
  ///
  /// - Parameters:
  ///   - words: the fault, for the reader of the run.
  ///   - limit: the longest that the settlement may take: a lease and a pause. Only full runs judge it, because a
  ///     quick run shares the machine with other tests.
  @discardableResult
  func expectWhole(_ words: String, settledWithin limit: Duration = .seconds(40)) async throws -> Verdict {
    let begun = ContinuousClock.now
    let patience = Fault.isFull ? limit : .seconds(120)
    try await ledger.advance(by: 50, within: patience + .seconds(20))
    await traffic.end()
    try await eventually("all posts are settled", within: patience) {
      try await client.posts().allSatisfy { $0.state != "queued" }
    }
    let settled = begun.duration(to: .now)
    // A post that was never answered may still be on its way, and change the list once more.
    try await eventually("feed and subscriber have ingest's list") {
      let list = try await client.list()
      #expect(list.stateHash == list.computedHash)
      return try await map.feedClient.list() == list && watcher.list == list
    }
    for line in try watcher.lines { for entry in line.entries ?? line.upsert ?? [] { ledger.publish(entry) } }
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    #expect(try Ledger.violations(in: Trial.data) == [])
    let (counts, faults) = ledger.classify(try Ledger.posts(in: Trial.data))
    #expect(faults.isEmpty, "\(faults.prefix(5).joined(separator: "\n"))")
    #expect(counts[.ok, default: 0] >= 100, "Too few posts to show anything.")
    let all = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key) \($0.value)" }
    Fault.printLine("\(words): \(all.joined(separator: ", ")); settled after \(settled)")
    return Verdict(counts: counts, settled: settled)
  }
}
