import Foundation
import Glibc

/// A fault that strace injects into a program's system calls: an error, a delay or a signal. The program keeps its
/// process id.
struct SyscallFault: Sendable {
  /// True if strace is installed and may trace.
  static let isAvailable = (try? Fault.command("strace", "-D", "-f", "-o", "/dev/null", "true"))?.status == 0

  /// The fault in strace's notation, such as "fdatasync:error=EIO:when=5".
  let injection: String
  /// The file whose calls are affected. Nil for all calls.
  let path: String?
  private let log: String

  /// - Parameter path: The file whose calls are affected. Nil for all calls.
  init(_ injection: String, on path: String? = nil) {
    self.injection = injection
    self.path = path
    log = SystemFixture.current.path("strace-\(UUID().uuidString)")
  }

  /// The command under which the program starts.
  var command: [String] {
    let calls = String(injection.prefix { $0 != ":" })
    return [
      "strace", "-D", "-f", "-qq", "-e", "signal=none", "-o", log, "-e", "trace=\(calls)", "-e", "inject=\(injection)",
    ]
      + (path.map { ["-P", $0] } ?? [])
  }

  /// The number of injected faults.
  var count: Int {
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").count { $0.hasSuffix("(INJECTED)") || $0.hasSuffix("(DELAYED)") }
  }

  /// The calls that strace has recorded.
  var seen: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

  /// Ends the tracer. The program continues.
  func end(of program: Program) async throws {
    guard let pid = program.pid, let tracer = SyscallFault.tracer(of: pid) else { return }
    // Use SIGKILL, because the tracer may have started with blocked signals.
    kill(tracer, SIGKILL)
    try await eventually("the tracer has detached") { SyscallFault.tracer(of: pid) == nil }
  }

  private static func tracer(of pid: pid_t) -> pid_t? {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("TracerPid:") }
    return line?.split(whereSeparator: \.isWhitespace).last.flatMap { pid_t($0) }.flatMap { $0 == 0 ? nil : $0 }
  }
}
