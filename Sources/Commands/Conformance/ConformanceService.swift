import Conformance
import Domain
import Glibc
import Logging
import Messaging
import ServiceLifecycle
import Synchronization

/// A conformance run, from the socket to the report. At the end, the run ends the process that it has started.
final class ConformanceService: Service {
  private let program: ProgramUnderTest
  private let command: [String]
  private let endpoint: Endpoint
  private let waitMs: Int64
  private let logger: Logger
  private let finishedReport = Mutex<ConformanceReport?>(nil)

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - command: Command line of the program. Empty if the user starts the program.
  ///   - endpoint: Address to bind for the program.
  ///   - waitMs: Timeout for the program's first message, in milliseconds.
  init(_ program: ProgramUnderTest, command: [String], bind endpoint: Endpoint, waitMs: Int64, logger: Logger) {
    self.program = program
    self.command = command
    self.endpoint = endpoint
    self.waitMs = waitMs
    self.logger = logger
  }

  /// The report. Nil before the end of the run, and after an interrupted run.
  var report: ConformanceReport? { finishedReport.withLock { $0 } }

  func run() async throws {
    let (finished, wake, terminated) = (OneShot<ConformanceReport>(), WakeupEvent(), OneShot<Void>())
    let events = CommandQueue<ProcessEvent>(wake)
    let environment = ConformanceEnvironment(
      waitMs: waitMs, hasProcess: !command.isEmpty, events: events, logger: logger,
      onFirstMessage: { printError("testing \($0.safeLine(bytesMax: Limits.peerNameBytesMax))") },
      terminate: { terminated.set(()) }, finished: { finished.set($0) })
    let (reactor, bound) = try Reactor.start("conformance", wake: wake) { [program, endpoint] context in
      let socket = try program.makeSocket(context, bind: endpoint, environment: environment)
      return ([socket.socket], socket.endpoint)
    }
    defer { reactor.stop() }
    let address = bound.connectable.description
    printError("listening \(program.link)=\(address)")
    let output = try ChildOutput()
    let command = command.map { $0.replacing("{\(program.link)}", with: address) }
    let descriptor = if case .subscriber = program { output.writer } else { STDERR_FILENO }
    let process = try command.isEmpty ? nil : ChildProcess(command, output: descriptor)
    let report = try? await cancelWhenGracefulShutdown {
      try await withThrowingTaskGroup(of: Void.self) { group in
        if let process {
          group.addTask { events.enqueue(.exited(try await process.exit)) }
          group.addTask {
            try await terminated.value
            process.terminate()
          }
          group.addTask { try await output.read { ConformanceService.handle($0, events) } }
        }
        defer { group.cancelAll() }
        return try await finished.value
      }
    }
    await process?.end()
    finishedReport.withLock { $0 = report }
  }

  /// Passes a printed list to the run. Prints any other line to standard error.
  private static func handle(_ line: Substring, _ events: CommandQueue<ProcessEvent>) {
    if let list = ShownList.read(line) { events.enqueue(.printed(list)) } else { printError(String(line)) }
  }
}
