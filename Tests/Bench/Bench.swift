import ArgumentParser
import Foundation

/// `make bench`: the release, measured beside its yardsticks, in turn within each repetition.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure the release beside its yardsticks.",
    discussion: """
      Ratios are to be trusted, absolute figures are not: the machine's speed drifts. With YARDSTICKS=FOLDER in the
      environment the C programs in it are built and measured too.
      """, subcommands: [BareServer.self])

  @Option(help: "Repetitions; medians are printed with the lowest and the highest.")
  var repetitions = 3
  @Option(help: "Seconds of load in each measurement.")
  var seconds = 5
  @Option(help: "HTTP connections.")
  var connections = 64
  @Option(help: "Fails where the median of completed posts is below this share of bare Hummingbird.")
  var goal = 0.4

  @Flag(help: "Only the gazetteer, beside SQLite's FTS5.")
  var onlyGeocode = false

  @Option(help: "A folder of CSV files with a first column \"query\", whose texts are looked up too.")
  var cases: String?

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("onthemap-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let yardsticks = try Yardsticks(folder: folder)
    if yardsticks == nil { note("YARDSTICKS is not set: measured beside bare Hummingbird only") }
    let geocode = try GeocodeBench(folder: folder, cases: cases)
    var table = Table()
    for repetition in 1...repetitions {
      note("repetition \(repetition) of \(repetitions)")
      try geocode.measure(into: &table)
      if onlyGeocode { continue }
      let pipeline = try await Pipeline.measure(folder: folder, connections: connections, seconds: seconds)
      table.add("posts accepted /s", pipeline.acceptedPerSecond)
      table.add("posts completed /s", pipeline.completedPerSecond)
      table.add("accept p50 ms", pipeline.load.p50Ms)
      table.add("accept p99 ms", pipeline.load.p99Ms)
      for (role, use) in pipeline.roles {
        table.add("\(role) CPU us a post", use.cpuMicrosecondsPerPost)
        table.add("\(role) memory MB (PSS)", use.megabytes)
      }
      let bare = try await BareServer.measure(folder: folder, connections: connections, seconds: seconds)
      table.add("bare Hummingbird /s", bare.perSecond)
      table.add("completed / bare Hummingbird", pipeline.completedPerSecond / bare.perSecond)
      table.add("job link round trips /s", try await JobLinkBench.roundTripsPerSecond(seconds: seconds))
      if let yardsticks {
        let cpipe = try await yardsticks.cpipe(connections: connections, seconds: seconds)
        table.add("C++ pipeline /s", cpipe)
        table.add("completed / C++ pipeline", pipeline.completedPerSecond / cpipe)
        let raw = try yardsticks.rawRoundTripsPerSecond()
        table.add("raw ROUTER/DEALER round trips /s", raw)
        table.addRatio("job link / raw ROUTER/DEALER", "job link round trips /s", "raw ROUTER/DEALER round trips /s")
      }
    }
    print(table.text)
    if onlyGeocode { return }
    guard let share = table.median(of: "completed / bare Hummingbird"), share >= goal else {
      throw BenchError("completed / bare Hummingbird is below the goal, \(goal)")
    }
  }
}

/// What goes on, on standard error.
func note(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

/// A measurement that could not be made, and why.
struct BenchError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Figures by name, in the order in which they came first.
struct Table {
  private var names: [String] = []
  private var values: [String: [Double]] = [:]

  mutating func add(_ name: String, _ value: Double) {
    if values[name] == nil { names.append(name) }
    values[name, default: []].append(value)
  }

  /// The ratio of the latest two values.
  mutating func addRatio(_ name: String, _ a: String, _ b: String) {
    if let a = values[a]?.last, let b = values[b]?.last { add(name, a / b) }
  }

  func median(of name: String) -> Double? { values[name].map { $0.sorted()[$0.count / 2] } }

  var text: String {
    let width = names.map(\.count).max() ?? 0
    let rows = names.map { name in
      let sorted = (values[name] ?? []).sorted()
      let median = sorted[sorted.count / 2]
      return name.padding(toLength: width + 2, withPad: " ", startingAt: 0)
        + [median, sorted[0], sorted[sorted.count - 1]].map(Table.number).joined(separator: " ")
    }
    let head = "".padding(toLength: width + 2, withPad: " ", startingAt: 0) + "    median    lowest   highest"
    return ([head] + rows).joined(separator: "\n")
  }

  private static func number(_ value: Double) -> String {
    let digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
    return String(format: "%10.\(digits)f", value)
  }
}
