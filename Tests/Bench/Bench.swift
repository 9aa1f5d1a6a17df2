import ArgumentParser
import Foundation

/// The command `make bench`, which compares the release with its baselines. Each repetition measures all of them.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Compare the release with its baselines.",
    discussion: """
      Trust the ratios, not the absolute figures, because the speed of the machine drifts. With YARDSTICKS=FOLDER in the
      environment, the bench also builds and measures the C++ programs in FOLDER.
      """, subcommands: [BareServer.self])

  /// A part that can be measured alone.
  enum Part: String, CaseIterable, ExpressibleByArgument {
    case geocode, http, api, gateway, logins, scans, zeromq, link, latency, backup, postgres, feed, peers, memory
    case feedMemory = "feed-memory"

    /// Parts that are measured only if `--only` names them.
    static let slow: Set<Part> = [.memory, .feedMemory]
  }

  @Option(help: "Repetitions. The table has the median, the lowest and the highest figure.")
  var repetitions = 5
  @Option(help: "Seconds of load per measurement.")
  var seconds = 5
  @Option(help: "Minimum ratio of completed posts to bare Hummingbird at 64 connections, as a median.")
  var goal = 0.4
  @Option(
    help: ArgumentHelp(
      "Part to measure. Repeatable: \(Part.allCases.map(\.rawValue).joined(separator: ", ")).",
      discussion: """
        Default: all but memory and feed-memory, which take minutes. Peers need YARDSTICKS. Without YARDSTICKS, postgres
        is measured only if it is named.
        """))
  var only: [Part] = []
  @Option(help: "Seconds for which another session holds a snapshot of PostgreSQL under load.")
  var pinnedSeconds = 60

  @Option(help: "Folder of CSV files with a first column \"query\". Their texts are measured, too.")
  var cases: String?

  private func measures(_ part: Part) -> Bool { only.isEmpty ? !Part.slow.contains(part) : only.contains(part) }

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("onthemap-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let yardsticks = try Baselines(folder: folder)
    if yardsticks == nil { note("YARDSTICKS is not set: comparing only with bare Hummingbird") }
    let geocode = measures(.geocode) ? try GeocodeBench(folder: folder, cases: cases) : nil
    let feed =
      measures(.feed) ? FeedBench(folder: folder, seconds: seconds, yardsticks: try .init(folder: folder)) : nil
    let postgres =
      measures(.postgres) && (yardsticks != nil || !only.isEmpty)
      ? try PostgresBench(folder: folder, seconds: seconds, pinnedSeconds: pinnedSeconds) : nil
    var table = Table()
    for repetition in 1...repetitions {
      note("repetition \(repetition) of \(repetitions)")
      try geocode?.measure(into: &table)
      if measures(.http) {
        for connections in [64, 512] { try await overHTTP(connections, folder, yardsticks, &table) }
      }
      if measures(.api) {
        try await IngestBench(folder: folder, seconds: seconds, yardsticks: yardsticks).measure(into: &table)
      }
      if measures(.gateway) { try await GatewayBench(folder: folder, seconds: seconds).measure(into: &table) }
      if measures(.logins) { try await LoginFlood(folder: folder, seconds: seconds).measure(into: &table) }
      if measures(.scans) { try await ScanFlood(folder: folder, seconds: seconds).measure(into: &table) }
      if measures(.zeromq) { try await overZeroMQ(folder, yardsticks, &table) }
      if measures(.link) { try await link(yardsticks, &table) }
      if measures(.latency) { try latency(folder, &table) }
      if measures(.backup) { try await BackupBench(folder: folder, seconds: seconds).measure(into: &table) }
      try await postgres?.measure(into: &table)
      try await feed?.measure(into: &table)
      if measures(.memory) { try await memory(folder, &table) }
      if measures(.feedMemory) { try await FeedBench.memory(folder: folder, into: &table) }
    }
    print(table.text)
    guard measures(.http) else { return }
    guard let share = table.median(of: "completed at 64 / bare Hummingbird"), share >= goal else {
      throw BenchError("completed / bare Hummingbird at 64 connections is below the goal, \(goal)")
    }
  }

  private func overHTTP(
    _ connections: Int, _ folder: URL, _ yardsticks: Baselines?, _ table: inout Table
  ) async throws {
    let pipeline = try await Pipeline.overHTTP(folder: folder, connections: connections, seconds: seconds)
    table.add("posts accepted at \(connections) /s", pipeline.acceptedPerSecond)
    table.add("posts completed at \(connections) /s", pipeline.completedPerSecond)
    table.add("accept p50 at \(connections) ms", pipeline.load?.p50Ms ?? 0)
    table.add("accept p99 at \(connections) ms", pipeline.load?.p99Ms ?? 0)
    for cost in pipeline.costs { table.add("\(cost.role) CPU us a post at \(connections)", cost.cpuMicroseconds) }
    table.add("all roles CPU us a post at \(connections)", pipeline.cpuPerPost)
    for use in pipeline.megabytes { table.add("\(use.role) memory at \(connections) MB (PSS)", use.value) }
    let bare = try await BareServer.measure(folder: folder, connections: connections, seconds: seconds)
    table.add("bare Hummingbird at \(connections) /s", bare.perSecond)
    table.add("completed at \(connections) / bare Hummingbird", pipeline.completedPerSecond / bare.perSecond)
    guard connections == 64 else { return }
    let syncs = try await Pipeline.syncsPerThousand(folder: folder, connections: connections, seconds: 2)
    table.add("fdatasync calls per 1,000 posts at \(connections)", syncs)
    guard let yardsticks else { return }
    let cpipe = try await yardsticks.cpipe(connections: connections, seconds: seconds)
    table.add("C++ pipeline /s", cpipe)
    table.add("completed at \(connections) / C++ pipeline", pipeline.completedPerSecond / cpipe)
  }

  private func overZeroMQ(_ folder: URL, _ yardsticks: Baselines?, _ table: inout Table) async throws {
    let pipeline = try await Pipeline.overZeroMQ(folder: folder, batch: 64, seconds: seconds)
    table.add("posts over ZeroMQ accepted /s", pipeline.acceptedPerSecond)
    table.add("posts over ZeroMQ completed /s", pipeline.completedPerSecond)
    for cost in pipeline.costs { table.add("\(cost.role) CPU us a post over ZeroMQ", cost.cpuMicroseconds) }
    table.add("all roles CPU us a post over ZeroMQ", pipeline.cpuPerPost)
    guard let yardsticks else { return }
    let sqlite = try yardsticks.sqliteInsertAndSettlePerSecond(seconds: seconds)
    table.add("SQLite insert and settle, groups of 512 /s", sqlite)
    table.add("over ZeroMQ / SQLite insert and settle", pipeline.completedPerSecond / sqlite)
    guard measures(.peers) else { return }
    for peer in try yardsticks.peers(seconds: seconds) {
      table.add("\(peer.name) /s", peer.perSecond)
      table.add("over ZeroMQ / \(peer.name)", pipeline.completedPerSecond / peer.perSecond)
    }
  }

  private func link(_ yardsticks: Baselines?, _ table: inout Table) async throws {
    let many = try await JobLinkBench.roundTripsPerSecond(seconds: seconds)
    let one = try await JobLinkBench.roundTripMicroseconds(seconds: min(seconds, 2))
    table.add("job link round trips, 1,000 outstanding /s", many)
    table.add("job link round trip, 1 outstanding us", one)
    guard let raw = try yardsticks?.rawLink() else { return }
    table.add("raw ROUTER/DEALER, 1,000 outstanding /s", raw.perSecondWith1000)
    table.add("raw ROUTER/DEALER, 1 outstanding us", raw.microsecondsWith1)
    table.add("job link / raw, 1,000 outstanding", many / raw.perSecondWith1000)
    table.add("job link / raw, 1 outstanding", one / raw.microsecondsWith1)
  }

  private func latency(_ folder: URL, _ table: inout Table) throws {
    let load = try Deployment(folder: folder).load(rate: 1_000, seconds: seconds)
    table.add("accept p50 at 1,000/s ms", load.acceptMs.p50)
    table.add("accept p99 at 1,000/s ms", load.acceptMs.p99)
    table.add("post to subscriber p50 at 1,000/s ms", load.postToSubscriberMs.p50)
    table.add("post to subscriber p99 at 1,000/s ms", load.postToSubscriberMs.p99)
  }

  /// Runs one deployment after the other, because they use the same folder.
  private func memory(_ folder: URL, _ table: inout Table) async throws {
    try await fullQueue(folder, &table)
    let busy = try Deployment(folder: folder)
    let million = try await Pipeline.submit(to: busy, tokens: busy.signUp(1), batch: 64, until: .posts(1_000_000))
    let published = try await busy.published(atLeast: million, within: .seconds(120))
    table.add("published posts", Double(published))
    table.add("ingest memory with published posts MB (PSS)", busy.ingest.megabytes)
  }

  private func fullQueue(_ folder: URL, _ table: inout Table) async throws {
    let full = try Deployment(folder: folder, workers: 0)
    let queued = try await Pipeline.submit(to: full, tokens: full.signUp(1), batch: 64, until: .posts(100_000))
    table.add("queued posts", Double(queued))
    table.add("ingest memory with queued posts MB (PSS)", full.ingest.megabytes)
    table.add("ready again with queued posts after kill -9, s", try full.secondsToRestart(folder: folder))
  }
}

/// Prints progress to standard error.
func note(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

/// The reason why a measurement failed.
struct BenchError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Figures by name, in order of their first appearance.
struct Table {
  private var names: [String] = []
  private var values: [String: [Double]] = [:]
  private var bounds: [String: ClosedRange<Double>] = [:]

  /// - Parameter bounds: Required range of the median. Nil for none.
  mutating func add(_ name: String, _ value: Double, within bounds: ClosedRange<Double>? = nil) {
    if values[name] == nil { names.append(name) }
    values[name, default: []].append(value)
    if let bounds { self.bounds[name] = bounds }
  }

  func median(of name: String) -> Double? { values[name].map { Table.median($0.sorted()) } }

  /// Returns the median. For an even count, it is the mean of the two middle values.
  private static func median(_ sorted: [Double]) -> Double {
    let (low, high) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
    return (low + high) / 2
  }

  var text: String {
    let width = names.map(\.count).max() ?? 0
    let rows = names.map { name in
      let sorted = (values[name] ?? []).sorted()
      let median = Table.median(sorted)
      return name.padding(toLength: width + 2, withPad: " ", startingAt: 0)
        + [median, sorted[0], sorted[sorted.count - 1]].map(Table.number).joined(separator: " ")
        + (bounds[name].map { Table.verdict(median, $0) } ?? "")
    }
    let head = "".padding(toLength: width + 2, withPad: " ", startingAt: 0) + "    median    lowest   highest"
    return ([head] + rows).joined(separator: "\n")
  }

  /// Returns the verdict on a median, such as "  at most 3: yes".
  private static func verdict(_ median: Double, _ bounds: ClosedRange<Double>) -> String {
    let words = bounds.lowerBound > 0 ? "at least \(bounds.lowerBound)" : "at most \(bounds.upperBound)"
    return "  \(words): \(bounds.contains(median) ? "yes" : "NO")"
  }

  private static func number(_ value: Double) -> String {
    let digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
    return String(format: "%10.\(digits)f", value)
  }
}
