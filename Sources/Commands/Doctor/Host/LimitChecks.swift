import Domain
import Feed
import Foundation
import Glibc
import Ingest

/// Checks of the limits of descriptors, threads, files, core dumps and memory.
struct LimitChecks: Sendable {
  let plan: ServicePlan
  /// The running service whose limits count. Nil for those of this process.
  let running: pid_t?

  func run() -> [Check] {
    let ids = ["file-descriptors", "processes", "file-size", "core-dumps"]
    let process = running.map { "\($0)" } ?? "self"
    let group = ControlGroup(process: process)
    guard let limits = ProcessLimits(process: process) else {
      return ids.map { .notChecked($0, "/proc/\(process)/limits cannot be read") } + [memory(group)]
    }
    let need = LimitChecks.descriptors(
      httpServers: plan.httpServers, isAlone: plan.feed?.isAlone ?? false, hasIngest: plan.ingest != nil)
    return [
      LimitChecks.descriptorCheck(limits.descriptors, need: need, source: source),
      LimitChecks.processCheck(
        userMax: LimitChecks.isRoot(process) ? .max : limits.processes, groupMax: group.tasksMax,
        groupCount: group.tasks ?? 0),
      LimitChecks.fileSizeCheck(limits.fileBytes), LimitChecks.coreCheck(limits.coreBytes), memory(group),
    ]
  }

  /// True for a process of root, to which the limit of processes does not apply.
  private static func isRoot(_ process: String) -> Bool {
    var status = stat()
    return stat("/proc/\(process)", &status) == 0 && status.st_uid == 0
  }

  private var source: String { running.map { "process \($0)" } ?? "this process" }

  /// Returns the number of descriptors with which a process has all its HTTP connections, peers and files.
  static func descriptors(httpServers: Int, isAlone: Bool, hasIngest: Bool) -> UInt64 {
    let peers = UInt64(hasIngest ? Limits.sessionsMax + Limits.submitProducersMax : 0)
    let http = UInt64(Limits.httpConnectionsMax * httpServers)
    // A server may use only its share of the descriptors.
    let shares = UInt64(isAlone ? Limits.httpDescriptorsSharesAlone : 1)
    let shared =
      httpServers > 0 ? UInt64(Limits.httpConnectionsMax) * UInt64(Limits.httpDescriptorsShare) / shares : 0
    return max(shared, http + peers + DoctorLimits.descriptorsOwn)
  }

  static func descriptorCheck(_ limit: UInt64, need: UInt64, source: String) -> Check {
    let id = "file-descriptors"
    let measure = Check.Measure(limit, "descriptors")
    let text = "\(source) may open \(limit) descriptors; the design needs \(need)"
    let remedy = "Set LimitNOFILE=65536 in the unit, or run: ulimit -Hn 65536"
    if limit < DoctorLimits.descriptorsOwn {
      return .failure(
        id, "\(text), and a service without clients about \(DoctorLimits.descriptorsOwn)", measure, remedy: remedy)
    }
    if limit < need {
      return .warning(id, "\(text). Further clients wait or are refused earlier", measure, remedy: remedy)
    }
    return .ok(id, text, measure)
  }

  /// Returns the result for the threads that the user and the control group permit.
  static func processCheck(userMax: UInt64, groupMax: UInt64?, groupCount: UInt64) -> Check {
    let id = "processes"
    let ofGroup = groupMax.map { $0 - min($0, groupCount) } ?? .max
    let limit = min(userMax, ofGroup)
    guard limit < .max else { return .ok(id, "no limit of threads and processes") }
    let text = "\(limit) more threads and processes are permitted"
    let measure = Check.Measure(limit, "threads")
    let remedy = "Set TasksMax=\(DoctorLimits.tasksNeeded) in the unit, or raise pids.max or ulimit -u"
    if limit < DoctorLimits.tasksMin { return .failure(id, text, measure, remedy: remedy) }
    if limit < DoctorLimits.tasksNeeded { return .warning(id, text, measure, remedy: remedy) }
    return .ok(id, text, measure)
  }

  static func fileSizeCheck(_ bytes: UInt64) -> Check {
    let id = "file-size"
    guard bytes < .max else { return .ok(id, "no limit of the size of files") }
    let text = "files may have \(bytes) bytes"
    let measure = Check.Measure(bytes, "bytes")
    guard bytes < DoctorLimits.fileBytesMin else { return .ok(id, text, measure) }
    return .warning(
      id, "\(text): ingest refuses posts when its database is as large", measure,
      remedy: "Set LimitFSIZE=infinity in the unit, or run: ulimit -f unlimited")
  }

  static func coreCheck(_ bytes: UInt64) -> Check {
    let id = "core-dumps"
    guard bytes > 0 else { return .ok(id, "core dumps are off") }
    return .warning(
      id, "a crash writes the memory to a file: keys, tokens and places", .init(bytes, "bytes"),
      remedy: "Set LimitCORE=0 in the unit, or run: ulimit -c 0")
  }

  private func memory(_ group: ControlGroup) -> Check {
    let total = Int64(clamping: ProcessInfo.processInfo.physicalMemory)
    let gazetteer = plan.gazetteerBytes
    let isLimited = group.memoryBytes ?? .max < total
    return LimitChecks.memoryCheck(
      min(group.memoryBytes ?? .max, total), from: isLimited ? "the control group" : "the machine",
      needed: LimitChecks.memoryMax(
        hasIngest: plan.ingest != nil, hasFeed: plan.feed != nil, hasGateway: plan.gateway != nil,
        gazetteer: gazetteer),
      start: DoctorLimits.programBytes + gazetteer
        + (plan.ingest == nil && plan.gateway == nil
          ? 0 : Int64(Limits.concurrentPasswordHashesMax * PasswordHashTrial.memoryBytes)))
  }

  /// Returns the memory that a process may use at most, in bytes.
  ///
  /// - Parameter gazetteer: Size of the mapped gazetteer file, in bytes.
  static func memoryMax(hasIngest: Bool, hasFeed: Bool, hasGateway: Bool = false, gazetteer: Int64) -> Int64 {
    let http =
      Int64(Limits.httpConnectionsMax) * DoctorLimits.connectionBytes + Int64(Limits.httpUnreadBytesMax)
    // Count each hash twice: a hash that gets no core is started a second time.
    let hashes = Int64(2 * Limits.concurrentPasswordHashesMax * PasswordHashTrial.memoryBytes)
    let caches = Int64(DoctorLimits.databaseConnections * Limits.databaseCacheKiB * 1_024)
    // The bodies of gateways' requests exist twice: with their requests, and in frames on their way.
    let bodies = Int64(2 * Limits.gatewayBytesMax)
    let ingest =
      http + DoctorLimits.queueBytes + DoctorLimits.changesBytes + hashes + caches + DoctorLimits.requestsBytes
      + bodies + Int64(Limits.gatewayUnreadBytesMax)
    let gateway = http + DoctorLimits.heldPostsBytes + bodies + hashes
    let feed = http + Int64(Limits.feedUnreadBytesMax + Limits.feedReplyBytesUnreadMax)
    return DoctorLimits.programBytes + gazetteer + (hasIngest ? ingest : 0) + (hasFeed ? feed : 0)
      + (hasGateway ? gateway : 0)
  }

  /// Returns the result for a memory limit.
  ///
  /// - Parameters:
  ///   - needed: Memory at the limits of the design, in bytes.
  ///   - start: Memory of a start, with all parallel password hashes, in bytes.
  static func memoryCheck(_ limit: Int64, from source: String, needed: Int64, start: Int64) -> Check {
    let id = "memory"
    func megabytes(_ bytes: Int64) -> String { "\((bytes + 500_000) / 1_000_000) MB" }
    let text =
      "\(source) has \(megabytes(limit)); the service needs \(megabytes(start)), and \(megabytes(needed)) "
      + "at its limits"
    let measure = Check.Measure(limit, "bytes")
    let remedy = "Give the service more memory (MemoryMax= of the unit, mem_limit of the container)"
    if limit < start { return .failure(id, text, measure, remedy: remedy) }
    if limit < needed {
      return .warning(id, "\(text). The kernel may end it under load", measure, remedy: remedy)
    }
    return .ok(id, text, measure)
  }
}
