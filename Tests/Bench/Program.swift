import Foundation
import Glibc

/// A program under test: started, measured and ended by its process id.
final class Program {
  /// Path of the measured release, beside the bench.
  static let onthemap =
    Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("onthemap").path ?? ""

  private let process = Process()
  /// Words `key=value` of the program's `ready` line.
  let ready: [String: String]

  /// Starts a program. Waits for its line `ready …` if `waitsForReady` is true.
  init(_ path: String, _ arguments: [String], log: URL, waitsForReady: Bool = true) throws {
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    try Data().write(to: log)
    process.standardError = try FileHandle(forWritingTo: log)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var line = ""
    while waitsForReady, !line.hasSuffix("\n") {
      guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else {
        throw BenchError(
          "\(path) \(arguments.joined(separator: " ")) ended: \(try String(contentsOf: log, encoding: .utf8))")
      }
      line += String(decoding: byte, as: UTF8.self)
    }
    let words = line.split(whereSeparator: \.isWhitespace).compactMap { word -> (String, String)? in
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
    ready = Dictionary(words) { first, _ in first }
  }

  deinit { end() }

  func end() {
    guard process.isRunning else { return }
    process.terminate()
    let deadline = ContinuousClock.now + .seconds(5)
    while process.isRunning, ContinuousClock.now < deadline { sched_yield() }
    kill()
  }

  var identifier: Int32 { process.processIdentifier }

  /// Kills the program with SIGKILL.
  func kill() {
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Waits until the program exits.
  func wait() { process.waitUntilExit() }

  /// True if a tracer is attached.
  var isTraced: Bool {
    let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    return status?.contains("TracerPid:\t0\n") == false
  }

  /// User and system CPU time so far, in seconds.
  var cpuSeconds: Double {
    guard let text = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8) else {
      return 0
    }
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 12 ? ((Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)) / 100 : 0
  }

  /// Proportional set size (PSS) in MiB: shared pages are divided among their processes.
  var megabytes: Double {
    let path = "/proc/\(process.processIdentifier)/smaps_rollup"
    let lines = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n") ?? []
    let words = lines.first { $0.hasPrefix("Pss:") }?.split(separator: " ") ?? []
    return words.count > 1 ? (Double(words[1]) ?? 0) / 1_024 : 0
  }
}

/// Runs a command to its end. Returns its standard output.
func output(of path: String, _ arguments: [String], folder: URL? = nil) throws -> String {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [path] + arguments
  process.currentDirectoryURL = folder
  let pipe = Pipe()
  process.standardOutput = pipe
  try process.run()
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else { throw BenchError("\(path) exited with \(process.terminationStatus)") }
  return String(decoding: data, as: UTF8.self)
}
