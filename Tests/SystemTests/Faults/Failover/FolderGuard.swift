import Foundation
import Glibc

/// Kills all processes in a folder, and removes the folder, when this object goes or the test process ends in any way.
///
/// A process is in a folder if its current folder is. Patroni starts servers that are no children of any process of the
/// tests, but each server's current folder is its data folder.
final class FolderGuard: Sendable {
  private let shell: Process
  private let input = Pipe()

  /// The shell reads the end of its input when no process has the other end of the pipe. It waits for the end of all
  /// processes, because a living one could start others or write files.
  private static let script = """
    cd /
    trap '' HUP INT TERM
    read -r line
    found=1
    while [ -n "$found" ]; do
      found=
      for process in /proc/[0-9]*; do
        case $(readlink "$process/cwd")/ in
        "$1"/*) kill -9 "${process#/proc/}" && found=1 ;;
        esac
      done
      sleep 0.1
    done
    rm -rf "$1"
    """

  init(_ folder: URL) throws {
    shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", Self.script, "sh", folder.path]
    shell.standardInput = input
    shell.standardError = FileHandle.nullDevice
    try shell.run()
  }

  /// Returns after the folder has gone.
  deinit {
    try? input.fileHandleForWriting.close()
    shell.waitUntilExit()
  }

  /// Kills all processes in a folder, as a crash of its host would. Returns after their end.
  static func kill(in folder: URL) async throws {
    try await eventually("no process is in \(folder.path)") {
      let processes = processes(in: folder)
      for process in processes { Glibc.kill(process, SIGKILL) }
      return processes.isEmpty
    }
  }

  private static func processes(in folder: URL) -> [pid_t] {
    let files = FileManager.default
    let names = (try? files.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { process in
      let current = try? files.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
      return current.map { "\($0)/".hasPrefix("\(folder.path)/") } ?? false
    }
  }
}
