import Foundation
import Glibc
import Synchronization

/// A failure of the server or of one of its tools, with the text that explains it.
package struct PostgresServerError: Error, CustomStringConvertible {
  package let description: String
}

/// A single thread reaps at a time. On a busy machine, Linux 6.18 can spin for ever if two threads reap together.
private let reaping = Mutex(())

/// Starts a program in a process group of its own, with these descriptors and no others.
///
/// The environment is small, because variables such as PGHOST, LD_PRELOAD and PGOPTIONS change what the tools do.
func spawn(_ words: [String], input: Int32, output: Int32, errors: Int32) throws -> pid_t {
  var files = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&files)
  defer { posix_spawn_file_actions_destroy(&files) }
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO)
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO)
  let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
  for descriptor in open where descriptor > STDERR_FILENO { posix_spawn_file_actions_addclose(&files, descriptor) }
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var (none, all) = (sigset_t(), sigset_t())
  sigemptyset(&none)
  sigfillset(&all)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &all)
  // A process group of its own, because Ctrl-C at the terminal must not end the shell that removes the folder.
  posix_spawnattr_setflags(
    &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
  let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
  var arguments = words.map { strdup($0) } + [nil]
  let environment: [String] = ["PATH=\(path)", "LC_ALL=C", "PGCLIENTENCODING=UTF8"]
  var variables = environment.map { strdup($0) } + [nil]
  defer { for text in arguments + variables { free(text) } }
  var pid: pid_t = 0
  let error = posix_spawnp(&pid, words[0], &files, &attributes, &arguments, &variables)
  guard error == 0 else {
    throw PostgresServerError(description: "cannot start \(words[0]): \(String(cString: strerror(error)))")
  }
  return pid
}

/// Runs a program to its end, and returns its output. Throws if it fails, or runs for longer than two minutes.
func run(_ words: [String], input text: String = "") throws -> String {
  let (input, output, errors) = (try NamelessFile(), try NamelessFile(), try NamelessFile())
  try input.write(text)
  let pid = try spawn(
    ["timeout", "--signal=KILL", "120"] + words, input: input.descriptor, output: output.descriptor,
    errors: errors.descriptor)
  let status = awaitEnd(pid)
  guard status == 0 else {
    throw PostgresServerError(description: "\(words) failed with wait status \(status): \(errors.text())")
  }
  return output.text()
}

/// Waits for the end of a child, reaps it, and returns its wait status.
@discardableResult
func awaitEnd(_ pid: pid_t) -> Int32 {
  var end = siginfo_t()
  while waitid(P_PID, id_t(pid), &end, WEXITED | WNOWAIT) != 0, errno == EINTR {}
  var status: Int32 = 0
  _ = reaping.withLock { _ in waitpid(pid, &status, WNOHANG) }
  return status
}

/// A file without a name. Unlike a pipe it takes a text of any size without a reader.
private final class NamelessFile {
  private let file: UnsafeMutablePointer<FILE>
  var descriptor: Int32 { fileno(file) }

  init() throws {
    guard let file = tmpfile() else {
      throw PostgresServerError(description: "cannot make a temporary file: \(String(cString: strerror(errno)))")
    }
    self.file = file
  }

  deinit { fclose(file) }

  /// Writes the text, and moves back to the file's start.
  func write(_ text: String) throws {
    let handle = FileHandle(fileDescriptor: descriptor)
    try handle.write(contentsOf: Data(text.utf8))
    try handle.seek(toOffset: 0)
  }

  /// Returns the file's whole text.
  func text() -> String {
    let handle = FileHandle(fileDescriptor: descriptor)
    try? handle.seek(toOffset: 0)
    return String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
  }
}
