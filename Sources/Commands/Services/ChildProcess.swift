import Glibc
import Synchronization

/// A child process that a conformance run can signal and wait for. The run sends SIGTERM in one of its steps. It judges
/// the time and the status of the program's end, before and after SIGTERM.
///
/// Two libraries do not suffice. Foundation's `Process` passes on the blocked signals of the calling thread, so such a
/// child never receives SIGTERM. swift-subprocess 1.0.2 sends signals only within the body of `run`, and reports the
/// exit only after the body has returned. Within the body, only the end of the child's output shows the exit. If a
/// wrapper script redirects the output of its program, the output ends at the start. The run could then send SIGTERM or
/// detect the exit, but not both.
final class ChildProcess: Sendable {
  private let id: pid_t
  private let code = Mutex<Int32?>(nil)

  /// Starts a program with an empty standard input.
  ///
  /// - Parameters:
  ///   - command: The program, found through PATH as in a shell, and its arguments.
  ///   - output: File descriptor for its standard output.
  /// - Throws: `SettingError` if the program cannot be started.
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
      throw SettingError("cannot start \(command[0]): \(String(cString: strerror(error))).")
    }
    self.id = id
  }

  /// The exit code, or the negative number of the signal that ended the process. Waits for that end.
  var exit: Int32 {
    get async throws {
      while true {
        if let code = ended() { return code }
        try await Task.sleep(for: ToolLimits.childPoll)
      }
    }
  }

  /// Sends SIGTERM if the process still runs.
  func terminate() { signal(SIGTERM) }

  /// Sends SIGTERM, and SIGKILL after `ToolLimits.childGracePeriod`. Returns when the process has ended.
  func end() async {
    terminate()
    let end = ContinuousClock.now + ToolLimits.childGracePeriod
    // A separate task waits even if the current task is cancelled.
    await Task { [self] in
      while ended() == nil {
        if ContinuousClock.now >= end { signal(SIGKILL) }
        try? await Task.sleep(for: ToolLimits.childPoll)
      }
    }.value
  }

  /// Sends a signal, unless the process has ended. Its id can belong to another process only after `waitpid`.
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
