import Foundation
import Glibc
import Testing

/// The mode of the fault suite, from the environment, and the abilities of this host.
enum Fault {
  /// True for the full suite of `make faults`. False for its quick part.
  static let isFull = ProcessInfo.processInfo.environment["FAULTS"] != nil
  static let isRoot = geteuid() == 0
  static let full: Comment = "only in full runs: make faults"

  /// The seeds of repeated runs: FAULT_RUNS of them (50 by default), from FAULT_SEED or a random number on.
  static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["FAULT_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...1_000_000)
    let runs = environment["FAULT_RUNS"].flatMap { UInt64($0) } ?? 50
    return Array(first..<first + runs)
  }()

  /// Runs a command. Returns its status and output.
  @discardableResult
  static func command(_ arguments: String...) throws -> (status: Int32, output: String) { try command(arguments) }

  /// Runs a command. Returns its status and output.
  static func command(_ arguments: [String]) throws -> (status: Int32, output: String) {
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

  /// Prints a line for the reader of the run.
  static func printLine(_ line: String) { FileHandle.standardError.write(Data("faults: \(line)\n".utf8)) }
}

/// The services under traffic, with a subscriber. A test injects a fault and removes it. Then the trial compares every
/// post with the ledger.
struct Trial: Sendable {
  let map: Services
  let client: Client
  let ledger: Ledger
  let traffic: Traffic
  let watcher: Watcher

  /// Ingest's data folder.
  static var data: String { SystemFixture.current.path("data") }

  /// Starts the traffic. Posts are accepted on return.
  ///
  /// - Parameter submit: The address for producers, if it is not ingest's own.
  init(on map: Services, submit: String? = nil) async throws {
    self.map = map
    client = try await map.client.signedUp()
    ledger = Ledger()
    watcher = try await SystemFixture.current.watcher(of: map)
    traffic = Traffic(client, submit: try submit ?? map.submit, ledger: ledger)
    try await ledger.advance(by: 50)
  }

  /// The result of a trial.
  struct Verdict {
    let counts: [Ledger.Class: Int]
    let settled: Duration
  }

  /// Ends the traffic after the last fault, waits until all posts are settled, and expects no fault anywhere.
  ///
  /// - Parameters:
  ///   - words: The fault, for the reader of the run.
  ///   - limit: The maximum time until all posts are settled: a lease and a pause. Only full runs check it, because a
  /// quick run shares the machine with other tests.
  @discardableResult
  func expectWhole(_ words: String, settledWithin limit: Duration = .seconds(40)) async throws -> Verdict {
    let begun = ContinuousClock.now
    let timeout = Fault.isFull ? limit : .seconds(120)
    try await ledger.advance(by: 50, within: timeout + .seconds(20))
    await traffic.end()
    try await eventually("all posts are settled", within: timeout) {
      try await client.posts().allSatisfy { $0.state != "queued" }
    }
    let settled = begun.duration(to: .now)
    // A post that got no response may still be in flight and change the list once more.
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
    #expect(counts[.ok, default: 0] >= 100, "The trial needs at least 100 accepted posts.")
    let all = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key) \($0.value)" }
    Fault.printLine("\(words): \(all.joined(separator: ", ")); settled after \(settled)")
    return Verdict(counts: counts, settled: settled)
  }
}
