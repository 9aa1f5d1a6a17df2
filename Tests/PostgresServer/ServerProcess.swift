import Foundation
import Glibc
import Synchronization

/// The processes of a server: the postmaster with its children, and a shell that starts the postmaster.
///
/// The shell reads from a socket that only this process holds. It reads the end of the stream when this process ends in
/// any way, also by SIGKILL. It then stops the server and removes the folder.
final class ServerProcess: Sendable {
  private struct State {
    /// The postmaster, until it has ended.
    var postmaster: pid_t?
  }

  private let folder: URL
  private let shell: pid_t
  private let socket: Int32
  private let state = Mutex(State())

  /// Each line on standard input starts the server, and the reply is the number of its process.
  ///
  /// `wait` reaps the earlier server. Otherwise its lock file would seem to belong to a living process.
  ///
  /// The kernel sends SIGHUP to the shell if this process ends while the server is paused.
  ///
  /// At the end of the stream, the server's children need no clean end, because the folder goes too. On SIGQUIT the
  /// postmaster kills them after 5 s even if they are stopped.
  private static let script = """
    folder=$1
    shift
    cd /
    trap '' HUP
    server=
    while read -r command; do
      if [ -n "$server" ]; then wait "$server"; fi
      "$@" </dev/null >>"$folder/log" 2>&1 &
      server=$!
      echo "$server"
    done
    if [ -n "$server" ]; then
      kill -QUIT "$server"
      kill -CONT "$server"
      wait "$server"
    fi 2>/dev/null
    rm -rf "$folder"
    """

  /// Starts the shell, and no server.
  ///
  /// - Parameters:
  ///   - folder: The server's folder. The shell removes it after the end of this process.
  ///   - command: The words that start the postmaster, without another process in between.
  init(folder: URL, command: [String]) throws {
    var ends: [Int32] = [-1, -1]
    // Close-on-exec keeps the socket from all other children, which would otherwise keep the server running.
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw PostgresServerError(description: "socketpair failed: \(errno)")
    }
    defer { close(ends[1]) }
    let log = open(folder.appending(path: "log").path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(log) }
    self.folder = folder
    socket = ends[0]
    do {
      shell = try spawn(
        ["/bin/sh", "-c", Self.script, "sh", folder.path] + command, input: ends[1], output: ends[1], errors: log)
    } catch {
      close(ends[0])
      throw error
    }
  }

  /// Returns after the server has stopped and the folder has gone.
  deinit {
    kill()
    close(socket)
    awaitEnd(shell)
  }

  /// The last lines of the server's log.
  func logTail() -> String {
    let text = (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? "no log"
    return text.split(separator: "\n").suffix(20).joined(separator: "\n")
  }

  /// Starts the postmaster, and waits until it accepts connections. Throws if it ends before, or after two minutes.
  func start() throws {
    try state.withLock { state in
      guard state.postmaster == nil else { return }
      let postmaster = try requestStart()
      waitUntil(within: .seconds(120)) { isReady(postmaster) || processState(postmaster) == nil }
      guard processState(postmaster) != nil else {
        throw PostgresServerError(description: "the server ended: \(logTail())")
      }
      guard isReady(postmaster) else {
        killAll(postmaster)
        throw PostgresServerError(description: "the server accepts no connections after 120 s: \(logTail())")
      }
      state.postmaster = postmaster
    }
  }

  /// Stops all processes of the server with SIGSTOP. Clients wait. Returns when none of them runs.
  func pause() {
    state.withLock { state in
      guard let postmaster = state.postmaster else { return }
      signal(freeze(postmaster), SIGSTOP)
    }
  }

  func resume() {
    state.withLock { state in
      guard let postmaster = state.postmaster else { return }
      signal(children(of: postmaster) + [postmaster], SIGCONT)
    }
  }

  /// Kills all processes of the server, as a crash of the host would. Returns after their end.
  func kill() {
    state.withLock { state in
      guard let postmaster = state.postmaster else { return }
      killAll(postmaster)
      state.postmaster = nil
    }
  }

  /// Ends the server's sessions and shuts the server down. Kills it after 60 seconds.
  func stop() {
    state.withLock { state in
      guard let postmaster = state.postmaster else { return }
      signal(children(of: postmaster) + [postmaster], SIGCONT)
      signal([postmaster], SIGINT)
      waitUntil(within: .seconds(60)) { processState(postmaster) == nil }
      if processState(postmaster) != nil { killAll(postmaster) }
      state.postmaster = nil
    }
  }

  /// The postmaster. Nil while the server is down.
  var postmaster: pid_t? { state.withLock { $0.postmaster } }

  /// User and system time that all processes of the server have used since its start, in seconds.
  ///
  /// The kernel adds a child's time to the postmaster's when the child ends, as for a worker of autovacuum.
  var cpuSeconds: Double {
    state.withLock { state in
      guard let postmaster = state.postmaster else { return 0 }
      let ticks = ([postmaster] + children(of: postmaster)).map { process in
        // User and system time are the fields 14 and 15 of the file, and those of ended children 16 and 17.
        (processFields(process) ?? []).dropFirst(11).prefix(process == postmaster ? 4 : 2)
          .reduce(0) { $0 + (Double($1) ?? 0) }
      }
      return ticks.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
  }

  /// Asks the shell for a server, and returns the number of its process.
  private func requestStart() throws -> pid_t {
    let line = "start\n"
    guard send(socket, line, line.utf8.count, Int32(MSG_NOSIGNAL)) == line.utf8.count else {
      throw PostgresServerError(description: "the shell that starts the server has ended: \(logTail())")
    }
    var (reply, byte) = ("", UInt8(0))
    while recv(socket, &byte, 1, 0) == 1, byte != UInt8(ascii: "\n") { reply.unicodeScalars.append(.init(byte)) }
    guard let pid = pid_t(reply) else {
      throw PostgresServerError(description: "the shell did not start the server: \(logTail())")
    }
    return pid
  }

  /// Returns true if the postmaster's own file names this process, and says in line 8 that it accepts connections.
  private func isReady(_ postmaster: pid_t) -> Bool {
    let file = folder.appending(path: "data/postmaster.pid")
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return false }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 7 else { return false }
    return lines[0] == "\(postmaster)" && lines[7].hasPrefix("ready")
  }

  /// Stops the postmaster, and returns it with all of its children. It starts no more of them.
  private func freeze(_ postmaster: pid_t) -> [pid_t] {
    signal([postmaster], SIGSTOP)
    waitUntil(within: .seconds(10)) { processState(postmaster) ?? "T" == "T" }
    return [postmaster] + children(of: postmaster)
  }

  private func killAll(_ postmaster: pid_t) {
    let processes = freeze(postmaster)
    signal(processes, SIGKILL)
    waitUntil(within: .seconds(60)) { !processes.contains { processState($0) != nil } }
  }
}

/// Blocks the thread until the condition is true, or for the timeout. No event marks the states in /proc.
func waitUntil(within timeout: Duration, _ condition: () -> Bool) {
  let deadline = ContinuousClock.now + timeout
  while !condition(), ContinuousClock.now < deadline { poll(nil, 0, 2) }
}

private func signal(_ processes: [pid_t], _ number: Int32) {
  for process in processes { _ = Glibc.kill(process, number) }
}

/// Returns the fields of /proc/PID/stat from the state's letter on, or nil if there is no such process.
private func processFields(_ pid: pid_t) -> [Substring]? {
  // The program's name stands in parentheses before these fields, and may contain any character.
  guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return nil }
  return text.split(separator: ")").last?.split(separator: " ")
}

/// Returns the state's letter and the parent from /proc, or nil if the process has ended. A zombie has ended.
private func processStatus(_ pid: pid_t) -> (state: String, parent: pid_t)? {
  guard let fields = processFields(pid), fields.count > 1, fields[0] != "Z", fields[0] != "X",
    let parent = pid_t(fields[1])
  else { return nil }
  return (String(fields[0]), parent)
}

private func processState(_ pid: pid_t) -> String? { processStatus(pid)?.state }

private func children(of parent: pid_t) -> [pid_t] {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return names.compactMap { pid_t($0) }.filter { processStatus($0)?.parent == parent }
}
