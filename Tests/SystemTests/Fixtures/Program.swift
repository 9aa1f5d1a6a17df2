import Foundation
import Glibc
import Synchronization
import Testing

/// A process of the product, with its output in files. It may end and start again with the same arguments.
final class Program: Sendable {
  /// The built program, or the one that `ONTHEMAP_BINARY` names.
  static let binary: URL = {
    if let path = ProcessInfo.processInfo.environment["ONTHEMAP_BINARY"] { return URL(fileURLWithPath: path) }
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return root.appending(path: ".build/debug/onthemap")
  }()

  private let executable: URL
  let arguments: [String]
  /// Variables added to the test's own environment, from which ONTHEMAP_… is removed.
  let environment: [String: String]
  private let output: URL
  private let log: URL
  /// The socket that the next start gets, as systemd passes it, with its name.
  private let held = Mutex<(descriptor: Int32, name: String)?>(nil)
  private let process = Mutex<ChildProcess?>(nil)

  /// - Parameters:
  ///   - executable: The program to run. By default the built program.
  ///   - path: The path of the output files, without their extensions.
  init(
    _ arguments: [String], executable: URL = Program.binary, environment: [String: String], outputAt path: String
  ) throws {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    output = URL(fileURLWithPath: path + ".out")
    log = URL(fileURLWithPath: path + ".err")
    try Data().write(to: log)
  }

  deinit { process.withLock { $0?.kill() } }

  /// The process id. Nil while the program does not run.
  var pid: pid_t? { process.withLock { $0?.isRunning() == true ? $0?.pid : nil } }

  /// The standard output since the last start.
  var standardOutput: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

  /// The standard error of all starts.
  var standardError: String { String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self) }

  /// The fields of the ready line. Empty before that line.
  var ready: [String: String] {
    guard let line = standardOutput.split(separator: "\n").first(where: { $0.hasPrefix("ready ") }) else { return [:] }
    return line.split(separator: " ").dropFirst().reduce(into: [:]) { words, word in
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      words[parts[0]] = parts.last
    }
  }

  /// Passes a socket to all later starts, as systemd does.
  func pass(_ descriptor: Int32, name: String) { held.withLock { $0 = (descriptor, name) } }

  /// - Parameter command: A command that runs the program and keeps its process id, such as a tracer, with its
  /// arguments.
  func start(under command: [String] = []) throws {
    try Data().write(to: output)
    let held = held.withLock { $0 }
    let variables = held.map { ["LISTEN_FDS": "1", "LISTEN_FDNAMES": $0.name] } ?? [:]
    let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ONTHEMAP_") }
      .merging(environment.merging(variables) { $1 }) { $1 }
    // The shell knows its process id, which is the program's too.
    let command = held == nil ? command : ["sh", "-c", "LISTEN_PID=$$ exec \"$@\"", "sh"] + command
    let process = try ChildProcess(
      command.isEmpty ? executable.path : "/usr/bin/env",
      command.isEmpty ? arguments : command + [executable.path] + arguments,
      environment: environment, output: output.path, log: log.path, socket: held?.descriptor)
    self.process.withLock { $0 = process }
  }

  /// Starts the program and waits for its ready line.
  func startAndWait(under command: [String] = []) async throws {
    try start(under: command)
    try await eventually("\(self) is ready") {
      if pid == nil {
        throw TimeoutError(description: "\(self) ended before it was ready: \(standardError.suffix(2_000))")
      }
      return !ready.isEmpty
    }
  }

  /// Waits after SIGSTOP until each thread has stopped, because the signal arrives asynchronously.
  func waitUntilStopped() async throws {
    guard let pid else { throw TimeoutError(description: "\(self) is not running") }
    let tasks = "/proc/\(pid)/task"
    try await eventually("\(self) is stopped") {
      try FileManager.default.contentsOfDirectory(atPath: tasks).allSatisfy { task in
        let stat = try String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8)
        return stat.split(separator: ")").last?.hasPrefix(" T") == true
      }
    }
  }

  /// CPU time of all threads so far, in hundredths of a second (proc(5), USER_HZ).
  var cpuTicks: Int {
    get throws {
      guard let pid else { throw TimeoutError(description: "\(self) is not running") }
      let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
      // Split after the name, which may contain spaces. utime and stime are the 14th and 15th fields of the line.
      let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
      guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
        throw TimeoutError(description: "\(self) has no CPU time: \(stat)")
      }
      return user + system
    }
  }

  func signal(_ signal: Int32) { if let pid { Glibc.kill(pid, signal) } }

  /// Waits for the program's end.
  ///
  /// - Returns: The exit code, or the negative number of the signal.
  func exit(within limit: Duration = .seconds(120)) async throws -> Int32 {
    try await eventually("\(self) ends", within: limit) {
      process.withLock { $0?.isRunning() == true ? nil : $0?.status }
    }
  }

  /// Kills the program like `kill -9`.
  func kill() async throws {
    signal(SIGKILL)
    guard process.withLock({ $0 != nil }) else { return }
    _ = try await exit()
  }

  /// Kills the program and starts it again with the same arguments.
  ///
  /// - Parameter pause: The time between kill and start.
  func restart(after pause: Duration = .zero) async throws {
    try await kill()
    try await Task.sleep(for: pause)
    try await startAndWait()
  }
}

extension Program: CustomStringConvertible {
  var description: String { "onthemap " + (arguments.first ?? "") }
}
