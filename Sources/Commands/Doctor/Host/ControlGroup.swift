import Foundation

/// The limits of a process's control groups (cgroups(7)), of version 1 and 2.
struct ControlGroup: Sendable, Equatable {
  /// Memory limit in bytes. Nil if there is none.
  var memoryBytes: Int64?
  /// Maximum number of threads and processes. Nil if there is none.
  var tasksMax: UInt64?
  /// Number of threads and processes of the group with that maximum.
  var tasks: UInt64?

  /// Reads the limits of a process.
  ///
  /// - Parameters:
  ///   - process: The process id, or "self".
  ///   - root: Folder with `proc` and `sys`.
  init(process: String = "self", root: String = "") {
    let lines = (try? String(contentsOfFile: "\(root)/proc/\(process)/cgroup", encoding: .utf8)) ?? ""
    for line in lines.split(separator: "\n") {
      // Hierarchy, controllers and path. Version 2 has one line without controllers.
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 3 else { continue }
      let mount = "\(root)/sys/fs/cgroup"
      if fields[1].isEmpty {
        read(mount, fields[2], memory: "memory.max")
      } else {
        for controller in fields[1].split(separator: ",") where ["memory", "pids"].contains(controller) {
          read("\(mount)/\(controller)", fields[2], memory: "memory.limit_in_bytes")
        }
      }
    }
  }

  /// Applies the limits of a group and of all groups that contain it. In a container, the path may be that of the host,
  /// and only the mount's own folder exists.
  private mutating func read(_ mount: String, _ path: String, memory: String) {
    var parts = path.split(separator: "/").map(String.init)
    while true {
      let folder = ([mount] + parts).joined(separator: "/")
      // Version 1 writes the largest multiple of a page instead of "max".
      if let bytes = ControlGroup.number("\(folder)/\(memory)"), bytes < 1 << 60 {
        memoryBytes = min(memoryBytes ?? .max, Int64(bytes))
      }
      if let max = ControlGroup.number("\(folder)/pids.max"), max < tasksMax ?? .max {
        (tasksMax, tasks) = (max, ControlGroup.number("\(folder)/pids.current"))
      }
      guard parts.popLast() != nil else { return }
    }
  }

  private static func number(_ path: String) -> UInt64? {
    (try? String(contentsOfFile: path, encoding: .utf8)).flatMap {
      UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }
}
