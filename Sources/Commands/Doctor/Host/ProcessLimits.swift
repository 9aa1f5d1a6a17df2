import Foundation

/// The resource limits of a process, as /proc reports them.
struct ProcessLimits: Sendable, Equatable {
  /// Maximum number of file descriptors. A service raises its soft limit to the hard one.
  let descriptors: UInt64
  /// Maximum number of processes and threads of the user.
  let processes: UInt64
  /// Maximum size of a file, in bytes.
  let fileBytes: UInt64
  /// Maximum size of a core dump, in bytes.
  let coreBytes: UInt64

  /// Reads the limits of a process. Nil if they cannot be read.
  ///
  /// - Parameter process: The process id, or "self".
  init?(process: String) {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8) else { return nil }
    self.init(text)
  }

  /// Parses the text of /proc/PID/limits. Nil if a limit is missing.
  init?(_ text: String) {
    let lines = text.split(separator: "\n")
    func hard(_ name: String) -> UInt64? {
      guard let line = lines.first(where: { $0.hasPrefix(name) }) else { return nil }
      let fields = line.dropFirst(name.count).split(separator: " ")
      guard fields.count > 1 else { return nil }
      return fields[1] == "unlimited" ? .max : UInt64(fields[1])
    }
    func soft(_ name: String) -> UInt64? {
      guard let line = lines.first(where: { $0.hasPrefix(name) }) else { return nil }
      let fields = line.dropFirst(name.count).split(separator: " ")
      return fields.first.flatMap { $0 == "unlimited" ? .max : UInt64($0) }
    }
    guard let descriptors = hard("Max open files"), let processes = soft("Max processes"),
      let fileBytes = soft("Max file size"), let coreBytes = soft("Max core file size")
    else { return nil }
    (self.descriptors, self.processes, self.fileBytes, self.coreBytes) = (descriptors, processes, fileBytes, coreBytes)
  }
}
