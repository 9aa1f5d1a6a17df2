import CHost
import Foundation
import Glibc
import Ingest
import Messaging
import SQLiteStore

/// Checks of the libraries and of the kernel.
struct SoftwareChecks: Sendable {
  let plan: ServicePlan

  /// Runs the checks, each group on its own thread: the check of the kernel changes the priority of its thread.
  func run() async -> [Check] {
    let kernel = await bounded(DoctorLimits.diskTimeout) { SoftwareChecks.kernel() }
    let libraries = await bounded(DoctorLimits.diskTimeout) {
      plan.ingest == nil ? [zeroMQ()] : [zeroMQ(), sqlite(), SoftwareChecks.sodium(), SoftwareChecks.hashing()]
    }
    return [kernel ?? .notChecked("kernel", "the system calls did not return in time")]
      + (libraries ?? [.notChecked("password-hashing", "the password hash did not end in time")])
  }

  /// Returns the result for a version of a library.
  static func check(_ id: String, _ library: String, _ version: String, from minimum: String) -> Check {
    guard let found = LibraryVersion(version), let needed = LibraryVersion(minimum) else {
      return .notChecked(id, "\(library) reports the version \"\(version)\"")
    }
    guard found >= needed else {
      return .failure(id, "\(library) \(version) is too old", remedy: "Install \(library) \(minimum) or later")
    }
    return .ok(id, "\(library) \(version)")
  }

  private func sqlite() -> Check {
    let (id, version) = ("sqlite", DataFolder.Library.version)
    guard DataFolder.Library.isThreadSafe else {
      return .failure(
        id, "SQLite \(version) permits only one thread", remedy: "Install an SQLite that is built with THREADSAFE=1")
    }
    let check = SoftwareChecks.check(id, "SQLite", version, from: DoctorLimits.sqliteMin)
    guard check.verdict == .ok else { return check }
    return .ok(id, SoftwareChecks.sqliteFinding(version))
  }

  /// Returns the finding for a sufficient version of SQLite. Before 3.51.3, only one process may open the database.
  static func sqliteFinding(_ version: String) -> String {
    guard let found = LibraryVersion(version), let safe = LibraryVersion(DoctorLimits.sqliteTwoProcesses), found < safe
    else { return "SQLite \(version)" }
    return "SQLite \(version): before \(safe), two processes can damage the write-ahead log, so open the database "
      + "with ingest only"
  }

  private func zeroMQ() -> Check {
    let check = SoftwareChecks.check("libzmq", "libzmq", ZeroMQLibrary.version, from: DoctorLimits.zeroMQMin)
    guard check.verdict == .ok, plan.usesKeys, !ZeroMQLibrary.has("curve") else { return check }
    return .failure(
      "libzmq", "libzmq \(ZeroMQLibrary.version) has no CURVE, and the links use keys",
      remedy: "Install a libzmq that is built with libsodium")
  }

  private static func sodium() -> Check {
    check("libsodium", "libsodium", PasswordHashTrial.sodiumVersion, from: DoctorLimits.sodiumMin)
  }

  private static func hashing() -> Check {
    let id = "password-hashing"
    guard let duration = PasswordHashTrial.run() else {
      return .failure(
        id, "a password hash of argon2 failed, or libsodium does not verify it",
        remedy: "Install Debian's libargon2-1 and libsodium23, and check the free memory")
    }
    let (seconds, attoseconds) = duration.components
    return hashing(ms: Double(seconds) * 1_000 + Double(attoseconds) / 1e15)
  }

  /// Returns the result for the duration of a hash, in milliseconds.
  static func hashing(ms: Double) -> Check {
    let text = "a password hash takes \(Int(ms.rounded())) ms, and libsodium verifies it"
    guard ms < DoctorLimits.hashSlowMs else {
      return .warning("password-hashing", text, .init(ms, "ms"), remedy: "Give ingest a faster or less busy core")
    }
    return .ok("password-hashing", text, .init(ms, "ms"))
  }

  private static func kernel() -> Check {
    var system = utsname()
    uname(&system)
    let release = withUnsafeBytes(of: system.release) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let missing = SoftwareChecks.missingCalls()
    guard missing.required.isEmpty else {
      return .failure(
        "kernel", "Linux \(release) refuses: \(missing.required.joined(separator: ", "))",
        remedy: "Allow the calls in the sandbox of the service (SystemCallFilter=, RestrictAddressFamilies=, seccomp)")
    }
    guard missing.optional.isEmpty else {
      return .warning(
        "kernel", "Linux \(release) refuses: \(missing.optional.joined(separator: ", ")). Logins then delay posts",
        remedy: "Allow sched_setscheduler in the sandbox of the service (SystemCallFilter=, seccomp)")
    }
    return .ok("kernel", "Linux \(release) permits all calls that the program needs")
  }

  /// Tries the system calls that sandboxes often refuse.
  private static func missingCalls() -> (required: [String], optional: [String]) {
    var (required, optional): ([String], [String]) = ([], [])
    let event = eventfd(0, Int32(EFD_CLOEXEC))
    if event < 0 { required.append("eventfd") } else { close(event) }
    let set = epoll_create1(Int32(EPOLL_CLOEXEC))
    if set < 0 { required.append("epoll_create1") } else { close(set) }
    var interfaces: UnsafeMutablePointer<ifaddrs>?
    if getifaddrs(&interfaces) == 0 { freeifaddrs(interfaces) } else { required.append("AF_NETLINK") }
    // The calling thread ends after the check, so its policy does not matter. 5 is SCHED_IDLE.
    var priority = sched_param()
    if sched_setscheduler(0, 5, &priority) != 0 { optional.append("sched_setscheduler") }
    return (required, optional)
  }
}
