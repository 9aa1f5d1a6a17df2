import Domain
import Messaging

/// The driver of a conformance run over sockets. The driver passes messages, times and process events to the run, and
/// performs the run's effects. Reactor's thread only.
final class ConformanceSocket<Suite: ConformanceSuite>: ReactorSocket {
  private let main: ProbeSocket
  private let environment: ConformanceEnvironment
  private let send: (Suite.Stimulus) -> Void
  private var run: ConformanceRun<Suite>
  private var hasReportedFirstMessage = false
  private var hasFinished = false
  /// True until the link's address is bound again after `closePort`.
  private var opensPort = false

  var socket: Socket { main.socket }

  /// Creates the driver of a suite.
  ///
  /// - Parameters:
  ///   - suite: The suite to run.
  ///   - main: The socket to which the program connects.
  ///   - environment: Inputs of the run.
  ///   - send: Sends a stimulus on its socket.
  init(
    _ suite: Suite, main: ProbeSocket, environment: ConformanceEnvironment, send: @escaping (Suite.Stimulus) -> Void
  ) {
    self.main = main
    self.environment = environment
    self.send = send
    run = ConformanceRun(suite)
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) { main.receive(frames, nowMs: nowMs) }

  /// Passes a message from any of the run's sockets to the run.
  func receive(_ message: Suite.ReceivedMessage, nowMs: Int64) {
    run.receive(message, nowMs: nowMs)
    if !hasReportedFirstMessage, let name = run.suite.name {
      hasReportedFirstMessage = true
      environment.onFirstMessage(name)
    }
    perform()
  }

  func tick(nowMs: Int64) -> Int64 {
    for event in environment.events.drain() {
      switch event {
      case .printed(let list): if let message = Suite.message(list) { run.receive(message, nowMs: nowMs) }
      case .exited(let code): run.processExited(code, nowMs: nowMs)
      }
    }
    run.tick(nowMs: nowMs)
    perform()
    // libzmq closes a port on its own thread, so the address may still be in use.
    if opensPort { opensPort = !socket.rebind() }
    if run.isOver, !hasFinished {
      hasFinished = true
      environment.finished(run.report)
    }
    return nowMs + Limits.runTickMs
  }

  func shutDown() { for stimulus in run.suite.abortStimuli { send(stimulus) } }

  private func perform() {
    for effect in run.takeEffects() {
      switch effect {
      case .send(let stimulus): send(stimulus)
      case .terminate: environment.terminate()
      case .closePort: socket.unbind()
      case .openPort: opensPort = true
      }
    }
  }
}
