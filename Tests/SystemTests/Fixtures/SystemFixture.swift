import Foundation
import Synchronization
import Testing

/// What one test has for itself: a folder, and programs that end with it, however it ends.
final class SystemFixture: Sendable {
  @TaskLocal private static var stage: SystemFixture?

  /// The running test's.
  static var current: SystemFixture {
    guard let stage else { preconditionFailure("The suite lacks the trait .stage.") }
    return stage
  }

  let folder: URL
  private let programs = Mutex<[Program]>([])
  private let kept = Mutex<[any AnyObject & Sendable]>([])

  private init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-system-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Holds something that programs ask, which nobody else does, until the test ends.
  func keep(_ object: any AnyObject & Sendable) { kept.withLock { $0.append(object) } }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// A program that is not started yet.
  ///
  /// - Parameter executable: another one than the product's.
  func program(
    _ arguments: [String], executable: URL = Program.binary, environment: [String: String] = [:]
  ) throws -> Program {
    try programs.withLock { programs in
      let name =
        "\(programs.count)-\(executable == Program.binary ? arguments.first ?? "none" : executable.lastPathComponent)"
      let program = try Program(
        arguments, executable: executable, environment: environment, outputAt: path(name))
      programs.append(program)
      return program
    }
  }

  /// Runs a program to its end.
  func run(
    _ arguments: String..., environment: [String: String] = [:], within limit: Duration = .seconds(120)
  ) async throws -> (status: Int32, said: String, logged: String) {
    try await run(arguments, environment: environment, within: limit)
  }

  /// Runs a program to its end.
  func run(
    _ arguments: [String], environment: [String: String] = [:], within limit: Duration = .seconds(120)
  ) async throws -> (status: Int32, said: String, logged: String) {
    let program = try program(arguments, environment: environment)
    try program.start()
    let status = try await program.exit(within: limit)
    return (status, program.standardOutput, program.standardError)
  }

  /// The end of each program's log, for a failure.
  fileprivate var logs: String {
    programs.withLock { $0 }.map { "\($0.arguments.joined(separator: " "))\n\($0.standardError.suffix(1_500))" }
      .joined(separator: "\n")
  }

  private func end() async throws {
    for program in programs.withLock({ $0 }) { try await program.kill() }
    try FileManager.default.removeItem(at: folder)
  }

  /// The running product that the tests of a suite with the trait `.sharedServices` share.
  @TaskLocal fileprivate static var sharedServices: Services?

  /// The suite's own running product, all in one process. A test changes nothing there that another one sees: it has
  /// accounts of its own.
  static var shared: Services {
    guard let sharedServices else { preconditionFailure("The suite lacks the trait .sharedServices.") }
    return sharedServices
  }

  /// Some tests at once, not all: each runs several processes, and deadlines are to mean something on two cores.
  private static let concurrencyLimit = ConcurrencyLimit(3)

  /// Runs the body with a stage that takes no seat: those who use it have seats of their own.
  fileprivate static func withoutConcurrencyLimit(_ body: (SystemFixture) async throws -> Void) async throws {
    let stage = try SystemFixture()
    let result: Result<Void, any Error>
    do { result = .success(try await $stage.withValue(stage) { try await body(stage) }) } catch {
      result = .failure(error)
    }
    try await stage.end()
    try result.get()
  }

  fileprivate static func with(_ body: (SystemFixture) async throws -> Void) async throws {
    await concurrencyLimit.acquire()
    do { try await withoutConcurrencyLimit(body) } catch {
      await concurrencyLimit.release()
      throw error
    }
    await concurrencyLimit.release()
  }
}

/// Gives every test of a suite a stage, and every failure the logs of its programs.
struct SystemFixtureTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await SystemFixture.with { stage in
      let logs = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("The programs' logs:\n\(stage.logs)")
        return issue
      }
      try await logs.provideScope(for: test, testCase: testCase, performing: function)
    }
  }
}

extension Trait where Self == SystemFixtureTrait {
  static var stage: Self { Self() }
}

/// Starts the product once for all tests of a suite, and ends it after the last one. Every failure has its log.
struct SharedServicesTrait: SuiteTrait, TestScoping {
  var isRecursive: Bool { false }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await SystemFixture.withoutConcurrencyLimit { stage in
      let services = try await stage.up()
      let logs = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("The shared program's log:\n\(stage.logs)")
        return issue
      }
      try await SystemFixture.$sharedServices.withValue(services) {
        try await logs.provideScope(for: test, testCase: testCase, performing: function)
      }
    }
  }
}

extension Trait where Self == SharedServicesTrait {
  static var sharedServices: Self { Self() }
}

/// So many at once; the others wait in line.
private actor ConcurrencyLimit {
  private var free: Int
  private var line: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  func acquire() async {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { line.append($0) } }
  }

  func release() {
    if line.isEmpty { free += 1 } else { line.removeFirst().resume() }
  }
}
