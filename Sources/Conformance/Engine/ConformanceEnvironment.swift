package import Logging
package import Messaging

/// Inputs of a conformance run from its caller: limits, events of the process, and handlers of the results. The
/// handlers run on the reactor's thread and must not block.
package struct ConformanceEnvironment: Sendable {
  /// Timeout for the program's first message, in milliseconds.
  let waitMs: Int64
  /// True if the program is a child process, which `terminate` ends.
  let hasProcess: Bool
  let events: CommandQueue<ProcessEvent>
  let logger: Logger
  /// Called once, with the program's name, after its first message.
  let onFirstMessage: @Sendable (String) -> Void
  /// Sends SIGTERM to the program. The end of the process arrives through `events`.
  let terminate: @Sendable () -> Void
  /// Called once, with the result.
  let finished: @Sendable (ConformanceReport) -> Void

  package init(
    waitMs: Int64, hasProcess: Bool, events: CommandQueue<ProcessEvent>, logger: Logger,
    onFirstMessage: @escaping @Sendable (String) -> Void = { _ in }, terminate: @escaping @Sendable () -> Void = {},
    finished: @escaping @Sendable (ConformanceReport) -> Void
  ) {
    self.waitMs = waitMs
    self.hasProcess = hasProcess
    self.events = events
    self.logger = logger
    self.onFirstMessage = onFirstMessage
    self.terminate = terminate
    self.finished = finished
  }
}

/// An event of the program's process, if that is a child process.
package enum ProcessEvent: Sendable {
  /// The program has printed a list.
  case printed(PrintedList)
  /// The process has ended, with this exit code, or a signal's number, negative.
  case exited(Int32)
}

extension RunContext {
  /// Creates the context of a run that begins now.
  init(_ environment: ConformanceEnvironment) {
    self.init(waitMs: environment.waitMs, hasProcess: environment.hasProcess, nowMs: Reactor.nowMs)
  }
}
