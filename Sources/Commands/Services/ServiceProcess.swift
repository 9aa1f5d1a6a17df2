import CRestart
import Glibc
import Logging
import Web

/// The process of a service, prepared at its very start. The backtracer is off, ingest, gateway and feed take over
/// sockets that systemd holds, and `up` restarts after a crash.
enum ServiceProcess {
  private static let services = ["up", "ingest", "gateway", "worker", "feed"]
  /// Environment variable of `otm_restart_when_crashed`: the number of crashes in a row.
  private static let crashesName = "OTM_CRASHES"

  /// Prepares the process of a service. Does nothing for other commands. Call this first, while the process has one
  /// thread.
  ///
  /// Swift's backtracer inherits the open ports of a process that crashes. Until the backtracer ends, no program can
  /// bind those ports. The runtime reads its setting before `main`, so the program restarts once with the backtracer
  /// off, unless SWIFT_BACKTRACE is set already.
  static func prepare() {
    guard CommandLine.argc > 1, services.contains(CommandLine.arguments[1]), let path else { return }
    if getenv("SWIFT_BACKTRACE") == nil {
      setenv("SWIFT_BACKTRACE", "enable=no", 1)
      // Execution continues here only if the system forbids `execv`. The service then runs with the backtracer.
      execv(path, CommandLine.unsafeArgv)
    }
    // The restart of `up` after a crash closes all descriptors, so systemd must not hold its sockets.
    if ["ingest", "gateway", "feed"].contains(CommandLine.arguments[1]) { HeldSockets.prepare() }
    // systemd and container engines restart the other services. A backtracer that the operator has enabled stays.
    let backtrace = getenv("SWIFT_BACKTRACE").map { String(cString: $0) }
    guard CommandLine.arguments[1] == "up", backtrace == "enable=no" else { return }
    let crashes = getenv(crashesName).flatMap { Int32(String(cString: $0)) } ?? 0
    unsetenv(crashesName)
    // Sleep before the start time is recorded: the backoff does not count as uptime.
    if crashes > 0 { backOff(after: crashes) }
    otm_restart_when_crashed(path, CommandLine.unsafeArgv, crashes)
  }

  /// Sleeps 1 s after the first crash, and twice as long after each later one, up to 64 s.
  private static func backOff(after crashes: Int32) {
    let seconds = 1 << min(max(0, crashes - 1), 6)
    makeLogger("up", level: .info).warning(
      "restarted after a crash", metadata: ["crashes": "\(crashes)", "backoff_s": "\(seconds)"])
    sleep(UInt32(seconds))
  }

  /// Path of the program's file.
  private static var path: String? {
    var name = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/exe", &name, Int(PATH_MAX))
    return count > 0 ? String(decoding: name.prefix(count).map(UInt8.init), as: UTF8.self) : nil
  }
}
