import Link
import Logging
import OnTheMap
import ServiceLifecycle
import Synchronization

/// One exam of a worker, from the socket to the verdicts. Ends what it started.
final class ConformService: Service {
  private let bind: Endpoint
  private let program: [String]
  private let query: String
  private let waitMs: Int64
  private let logger: Logger
  private let result = Mutex<Conformance?>(nil)

  /// - Parameter program: the worker's, with its arguments; empty where somebody else starts it.
  init(bind: Endpoint, program: [String], query: String, waitMs: Int64, logger: Logger) {
    self.bind = bind
    self.program = program
    self.query = query
    self.waitMs = waitMs
    self.logger = logger
  }

  /// Nil before the end, and where it was ended early.
  var conformance: Conformance? { result.withLock { $0 } }

  func run() async throws {
    let (finished, wake, terminated) = (Told<Conformance>(), Wake(), Told<Void>())
    let inbox = Inbox<Int32>(wake)
    let listener = JobExaminer.Listener(
      came: { complain("examining \($0.safeLine(bytesMax: 64))") }, terminate: { terminated.tell(()) },
      finished: { finished.tell($0) })
    let (reactor, endpoint) = try Reactor.start("conform", wake: wake) { [self] context in
      let examiner = try JobExaminer(
        context, bind: bind, waitMs: waitMs, query: query, hasProcess: !program.isEmpty, inbox: inbox, logger: logger,
        listener: listener)
      return ([examiner], examiner.endpoint)
    }
    defer { reactor.stop() }
    complain("listening jobs=\(endpoint.connectable)")
    let process =
      try program.isEmpty
      ? nil : ChildProcess(program.map { $0.replacing("{jobs}", with: endpoint.connectable.description) })
    let conformance = try? await cancelWhenGracefulShutdown {
      try await withThrowingTaskGroup(of: Void.self) { group in
        if let process {
          group.addTask { inbox.put(try await process.exit) }
          group.addTask {
            try await terminated.value
            process.terminate()
          }
        }
        defer { group.cancelAll() }
        return try await finished.value
      }
    }
    await process?.end()
    result.withLock { $0 = conformance }
  }
}
