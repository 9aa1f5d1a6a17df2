import Glibc
import Synchronization

/// A child process, its signals and its end. A conformance run sends SIGTERM at a step, and judges when and with which
/// status the program ends, by SIGTERM or before.
///
/// Two libraries do not serve here. Foundation's `Process` hands down the blocked signals of the thread that it is
/// called on: such a child never receives SIGTERM. swift-subprocess 1.0.2 sends signals only within the body of `run`,
/// reports the end only after the body has returned, and shows the end to the body only as the end of the child's
/// output. If a wrapper script redirects the output of its program, the output ends at the start: the run could send
/// SIGTERM or notice the end, not both.
final class ChildProcess: Sendable {
  private let id: pid_t
  private let code = Mutex<Int32?>(nil)

  /// Starts a program with nothing on its standard input.
  ///
  /// - Parameters:
  ///   - command: the program, looked for as a shell does, and its arguments.
  ///   - output: a descriptor for its standard output.
  /// - Throws: `SettingError` where it cannot be started.
  init(_ command: [String], output: Int32 = STDERR_FILENO) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var arguments = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var id = pid_t()
    let error = posix_spawnp(&id, command[0], &actions, &attributes, &arguments, environ)
    guard error == 0 else {
      throw SettingError("\(command[0]) cannot be started: \(String(cString: strerror(error))).")
    }
    self.id = id
  }

  /// Waits for its end: the exit code, or the signal's number, negative.
  var exit: Int32 {
    get async throws {
      while true {
        if let code = ended() { return code }
        try await Task.sleep(for: ToolLimits.childPoll)
      }
    }
  }

  /// SIGTERM, where it still runs.
  func terminate() { signal(SIGTERM) }

  /// Ends it, with SIGKILL after `ToolLimits.childGracePeriod`, and waits for that.
  func end() async {
    terminate()
    let end = ContinuousClock.now + ToolLimits.childGracePeriod
    // Also where the task is cancelled.
    await Task { [self] in
      while ended() == nil {
        if ContinuousClock.now >= end { signal(SIGKILL) }
        try? await Task.sleep(for: ToolLimits.childPoll)
      }
    }.value
  }

  /// As long as nobody has waited for it, its number is nobody else's.
  private func signal(_ number: Int32) {
    code.withLock { if $0 == nil { kill(id, number) } }
  }

  private func ended() -> Int32? {
    code.withLock { code in
      if let code { return code }
      var status: Int32 = 0
      guard waitpid(id, &status, WNOHANG) == id else { return nil }
      let signal = status & 0x7F
      code = signal == 0 ? (status >> 8) & 0xFF : -signal
      return code
    }
  }
}
