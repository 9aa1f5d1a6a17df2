import Foundation
import Synchronization
import Testing

/// The resources of one test: a folder, and programs that end with the test, however it ends.
final class SystemFixture: Sendable {
  @TaskLocal private static var fixture: SystemFixture?

  /// The running test's fixture.
  static var current: SystemFixture {
    guard let fixture else { preconditionFailure("The suite lacks the trait .fixture.") }
    return fixture
  }

  let folder: URL
  private let programs = Mutex<[Program]>([])
  private let retained = Mutex<[any AnyObject & Sendable]>([])

  private init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-system-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Keeps an object, such as a stub server that programs use, alive until the test ends.
  func keep(_ object: any AnyObject & Sendable) { retained.withLock { $0.append(object) } }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Creates a program without starting it.
  ///
  /// - Parameter executable: The program to run. By default the built program.
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
  ) async throws -> (status: Int32, output: String, log: String) {
    try await run(arguments, environment: environment, within: limit)
  }

  /// Runs a program to its end.
  func run(
    _ arguments: [String], environment: [String: String] = [:], within limit: Duration = .seconds(120)
  ) async throws -> (status: Int32, output: String, log: String) {
    let program = try program(arguments, environment: environment)
    try program.start()
    let status = try await program.exit(within: limit)
    return (status, program.standardOutput, program.standardError)
  }

  /// The end of each program's log, for a failure's report.
  fileprivate var logs: String {
    programs.withLock { $0 }.map { "\($0.arguments.joined(separator: " "))\n\($0.standardError.suffix(1_500))" }
      .joined(separator: "\n")
  }

  private func end() async throws {
    for program in programs.withLock({ $0 }) { try await program.kill() }
    try FileManager.default.removeItem(at: folder)
  }

  /// The services that the tests of a suite with the trait `.sharedServices` share.
  @TaskLocal fileprivate static var sharedServices: Services?

  /// The suite's shared services, in one process. Tests use their own accounts and change nothing that other tests see.
  static var shared: Services {
    guard let sharedServices else { preconditionFailure("The suite lacks the trait .sharedServices.") }
    return sharedServices
  }

  /// At most four tests run together: each runs several processes, and deadlines must be meaningful on two cores. With
  /// three, the processor was idle for half of the time.
  private static let concurrencyLimit = ConcurrencyLimit(4)

  /// Runs the body with a fixture, outside the concurrency limit. The tests that use the fixture count themselves.
  fileprivate static func withoutConcurrencyLimit(_ body: (SystemFixture) async throws -> Void) async throws {
    let fixture = try SystemFixture()
    let result: Result<Void, any Error>
    do { result = .success(try await $fixture.withValue(fixture) { try await body(fixture) }) } catch {
      result = .failure(error)
    }
    try await fixture.end()
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

/// Gives every test of a suite a fixture, and every failure the logs of its programs.
struct SystemFixtureTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await SystemFixture.with { fixture in
      let logs = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("The programs' logs:\n\(fixture.logs)")
        return issue
      }
      try await logs.provideScope(for: test, testCase: testCase, performing: function)
    }
  }
}

extension Trait where Self == SystemFixtureTrait {
  static var fixture: Self { Self() }
}

/// Starts the services once for all tests of a suite, and ends them after the last one. Every failure gets their log.
struct SharedServicesTrait: SuiteTrait, TestScoping {
  var isRecursive: Bool { false }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await SystemFixture.withoutConcurrencyLimit { fixture in
      let services = try await fixture.up()
      let logs = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("The shared program's log:\n\(fixture.logs)")
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

/// A limit of concurrent holders. Further callers wait in order.
private actor ConcurrencyLimit {
  private var free: Int
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  func acquire() async {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiters.append($0) } }
  }

  func release() {
    if waiters.isEmpty { free += 1 } else { waiters.removeFirst().resume() }
  }
}
