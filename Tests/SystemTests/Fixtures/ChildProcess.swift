import Foundation
import Glibc
import Synchronization

/// A process that the tests started, by posix_spawn(3).
///
/// Foundation's `Process` regards a program that closes its descriptors as ended. `up` closes them when it restarts
/// after a crash. `Process` then waits for this program, and reports the end of no other program meanwhile. `Commands`
/// has a similar type, but these tests know only the built program.
struct ChildProcess {
  let pid: pid_t
  /// The exit code, or the negative number of the signal. Nil while the process runs.
  private(set) var status: Int32?

  private static let reaping = Mutex(())

  /// - Parameters:
  ///   - executable: The program's path.
  ///   - output: The file that the process's standard output is appended to.
  ///   - log: The file that its standard error is appended to.
  ///   - socket: The socket that the process gets as descriptor 3. Nil passes none.
  init(
    _ executable: String, _ arguments: [String], environment: [String: String], output: String, log: String,
    socket: Int32? = nil
  ) throws {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output, O_WRONLY | O_APPEND, 0)
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log, O_WRONLY | O_APPEND, 0)
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
    for descriptor in open where descriptor > STDERR_FILENO && descriptor != socket {
      posix_spawn_file_actions_addclose(&files, descriptor)
    }
    // The original is close-on-exec.
    if let socket { posix_spawn_file_actions_adddup2(&files, socket, 3) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var words = ([executable] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var pid: pid_t = 0
    let error = posix_spawn(&pid, executable, &files, &attributes, &words, &variables)
    guard error == 0 else {
      throw TimeoutError(description: "cannot start \(executable): \(String(cString: strerror(error)))")
    }
    self.pid = pid
  }

  /// Returns true while the process runs. Sets `status` after its end.
  mutating func isRunning() -> Bool {
    if status == nil { reap() }
    return status == nil
  }

  /// Kills the process and waits for its end.
  mutating func kill() {
    guard isRunning() else { return }
    Glibc.kill(pid, SIGKILL)
    var end = siginfo_t()
    while waitid(P_PID, id_t(pid), &end, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    reap()
  }

  /// Reaps the process if it has ended, and sets `status`.
  ///
  /// Only one thread reaps at a time. On a busy machine, Linux 6.18 can spin for ever if two threads reap together.
  /// Both threads stay in `shrink_dcache_parent`, which removes the ended process from /proc.
  private mutating func reap() {
    var word: Int32 = 0
    guard Self.reaping.withLock({ _ in waitpid(pid, &word, WNOHANG) }) == pid else { return }
    // WIFSIGNALED, WTERMSIG and WEXITSTATUS of wait(2).
    let signal = word & 0x7f
    status = signal == 0 ? word >> 8 & 0xff : -signal
  }
}
