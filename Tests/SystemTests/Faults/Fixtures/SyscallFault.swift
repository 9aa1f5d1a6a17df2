import Foundation
import Glibc

/// A system call of a program made to fail, to wait or to kill it, by strace. The program keeps its process id.
struct SyscallFault: Sendable {
  /// Whether it can be done here: strace is there, and may trace.
  static let isAvailable = (try? Fault.command("strace", "-D", "-f", "-o", "/dev/null", "true"))?.status == 0

  /// What strace is told: "fdatasync:error=EIO:when=5".
  let injection: String
  /// Only calls on this file; nil for all.
  let path: String?
  private let log: String

  /// - Parameter path: of the file; nil for all.
  init(_ injection: String, on path: String? = nil) {
    self.injection = injection
    self.path = path
    log = SystemFixture.current.path("strace-\(UUID().uuidString)")
  }

  /// What the program is started under.
  var command: [String] {
    let calls = String(injection.prefix { $0 != ":" })
    return [
      "strace", "-D", "-f", "-qq", "-e", "signal=none", "-o", log, "-e", "trace=\(calls)", "-e", "inject=\(injection)",
    ]
      + (path.map { ["-P", $0] } ?? [])
  }

  /// How often it has happened.
  var count: Int {
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").count { $0.hasSuffix("(INJECTED)") || $0.hasSuffix("(DELAYED)") }
  }

  /// What strace has seen.
  var seen: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

  /// Ends it; the program goes on untouched.
  func end(of program: Program) async throws {
    guard let pid = program.pid, let tracer = SyscallFault.tracer(of: pid) else { return }
    // Whatever signals it was started with blocked.
    kill(tracer, SIGKILL)
    try await eventually("the tracer has let go") { SyscallFault.tracer(of: pid) == nil }
  }

  private static func tracer(of pid: pid_t) -> pid_t? {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("TracerPid:") }
    return line?.split(whereSeparator: \.isWhitespace).last.flatMap { pid_t($0) }.flatMap { $0 == 0 ? nil : $0 }
  }
}
