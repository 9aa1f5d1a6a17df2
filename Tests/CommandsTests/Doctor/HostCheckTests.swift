import Domain
import Foundation
import Testing

@testable import Commands

@Suite("Doctor: limits, versions and clock")
struct HostCheckTests {
  @Test(
    "The type of a file system decides on its danger",
    arguments: [
      (0xEF53, "ext4", .ok), (0x5846_5342, "XFS", .ok), (0x9123_683E, "Btrfs", .ok), (0x2FC1_2FC1, "ZFS", .ok),
      (0x0102_1994, "tmpfs", .failure), (0x794C_7630, "overlayfs", .warning), (0x6969, "NFS", .failure),
      (0xFE53_4D42, "SMB", .failure), (0x00C3_6400, "CephFS", .failure), (0x6573_5546, "FUSE", .warning),
      (0x4D44, "FAT", .failure), (0x7371_7368, "SquashFS", .failure), (0x1234, "type 0x1234", .warning),
      // A signed field of the kernel, extended to 64 bits.
      (0xFFFF_FFFF_9123_683E, "Btrfs", .ok),
    ] as [(UInt64, String, Check.Verdict)])
  func fileSystems(type: UInt64, name: String, verdict: Check.Verdict) {
    let check = FileSystem(type: type).check("data-folder-filesystem", path: "/data")
    #expect(check.verdict == verdict && check.finding.contains(name))
    #expect((check.remedy == nil) == (verdict == .ok))
  }

  @Test("The kernel reports the type of /proc, and of no missing file")
  func realFileSystem() {
    // 0x9FA0 is proc, which no table of disks has.
    #expect(FileSystem(at: "/proc") == FileSystem(type: 0x9FA0))
    #expect(FileSystem(at: "/proc/nowhere") == nil)
  }

  @Test("The descriptors suffice for the share of each HTTP server, the peers and the files")
  func descriptors() {
    #expect(LimitChecks.descriptors(httpServers: 2, isAlone: false, hasIngest: true) == 49_152)
    #expect(LimitChecks.descriptors(httpServers: 1, isAlone: false, hasIngest: true) == 49_152)
    #expect(LimitChecks.descriptors(httpServers: 1, isAlone: true, hasIngest: false) == 16_384)
    let worker = LimitChecks.descriptors(httpServers: 0, isAlone: false, hasIngest: false)
    #expect(worker == DoctorLimits.descriptorsOwn)
    for (limit, need, verdict) in [
      (DoctorLimits.descriptorsOwn - 1, 16_384, .failure), (DoctorLimits.descriptorsOwn, 16_384, .warning),
      (16_383, 16_384, .warning), (16_384, 16_384, .ok), (.max, 49_152, .ok),
    ] as [(UInt64, UInt64, Check.Verdict)] {
      let check = LimitChecks.descriptorCheck(limit, need: need, source: "this process")
      #expect(check.verdict == verdict && check.measure == .init(limit, "descriptors"), "\(limit)")
    }
  }

  @Test(
    "The stricter of the user's and the group's limits of threads counts",
    arguments: [
      (.max, nil, 0, .ok), (255, nil, 0, .warning), (63, nil, 0, .failure), (.max, 300, 44, .ok),
      (.max, 300, 45, .warning), (.max, 300, 237, .failure), (64, 300, 0, .warning), (.max, 10, 20, .failure),
    ] as [(UInt64, UInt64?, UInt64, Check.Verdict)])
  func threads(user: UInt64, group: UInt64?, count: UInt64, verdict: Check.Verdict) {
    #expect(LimitChecks.processCheck(userMax: user, groupMax: group, groupCount: count).verdict == verdict)
  }

  @Test("A limit of the size of files and an enabled core dump are dangers")
  func files() {
    #expect(LimitChecks.fileSizeCheck(.max).verdict == .ok)
    #expect(LimitChecks.fileSizeCheck(DoctorLimits.fileBytesMin).verdict == .ok)
    #expect(LimitChecks.fileSizeCheck(DoctorLimits.fileBytesMin - 1).verdict == .warning)
    #expect(LimitChecks.coreCheck(0).verdict == .ok)
    #expect(LimitChecks.coreCheck(1).verdict == .warning)
  }

  @Test("The memory at the limits of the design equals the sums in the comments of the units")
  func memory() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    for (role, file) in [("ingest", "onthemap-ingest"), ("feed", "onthemap-feed"), ("gateway", "onthemap-gateway@")] {
      let unit = try String(
        contentsOf: root.appending(path: "deploy/systemd/\(file).service"), encoding: .utf8)
      let bytes =
        LimitChecks.memoryMax(
          hasIngest: role == "ingest", hasFeed: role == "feed", hasGateway: role == "gateway", gazetteer: 0)
        - DoctorLimits.programBytes
      // The comments round to a tenth of a gigabyte.
      let text = String(format: "is %.1f GB, plus the program", Double(bytes) / 1e9)
      #expect(unit.contains(text), "\(role): \(text)")
    }
    for (limit, verdict) in [(99, .failure), (100, .warning), (999, .warning), (1_000, .ok)]
      as [(Int64, Check.Verdict)]
    {
      #expect(LimitChecks.memoryCheck(limit, from: "the machine", needed: 1_000, start: 100).verdict == verdict)
    }
  }

  @Test("The limits of a process come from the text of the kernel")
  func processLimits() throws {
    let text = """
      Limit                     Soft Limit           Hard Limit           Units
      Max file size             unlimited            unlimited            bytes
      Max core file size        0                    unlimited            bytes
      Max processes             96344                96344                processes
      Max open files            1024                 20000                files
      """
    let limits = try #require(ProcessLimits(text))
    #expect(limits.descriptors == 20_000 && limits.processes == 96_344)
    #expect(limits.fileBytes == .max && limits.coreBytes == 0)
    #expect(ProcessLimits("Max open files 1024 20000 files") == nil)
    #expect(ProcessLimits(process: "self") != nil)
    #expect(ProcessLimits(process: "nowhere") == nil)
  }

  @Test("The lowest limit of a process's control groups counts, in both versions")
  func controlGroups() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "onthemap-groups-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    func write(_ text: String, _ path: String) throws {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("\(text)\n".utf8).write(to: file)
    }
    try write("0::/system.slice/onthemap-ingest.service", "proc/2/cgroup")
    try write("max", "sys/fs/cgroup/system.slice/memory.max")
    try write("2147483648", "sys/fs/cgroup/system.slice/onthemap-ingest.service/memory.max")
    try write("300", "sys/fs/cgroup/system.slice/pids.max")
    try write("12", "sys/fs/cgroup/system.slice/pids.current")
    try write("256", "sys/fs/cgroup/system.slice/onthemap-ingest.service/pids.max")
    try write("31", "sys/fs/cgroup/system.slice/onthemap-ingest.service/pids.current")
    let second = ControlGroup(process: "2", root: root.path)
    #expect(second.memoryBytes == 2_147_483_648 && second.tasksMax == 256 && second.tasks == 31)

    // In a container, the path of version 1 is the host's, and only the mount itself exists.
    try write("5:memory:/docker/abc\n4:pids:/docker/abc\n3:cpu,cpuacct:/docker/abc", "proc/1/cgroup")
    try write("1073741824", "sys/fs/cgroup/memory/memory.limit_in_bytes")
    try write("max", "sys/fs/cgroup/pids/pids.max")
    let first = ControlGroup(process: "1", root: root.path)
    #expect(first.memoryBytes == 1_073_741_824 && first.tasksMax == nil)

    try write("9223372036854771712", "sys/fs/cgroup/memory/memory.limit_in_bytes")
    #expect(ControlGroup(process: "1", root: root.path) == ControlGroup(process: "nowhere", root: root.path))
  }

  @Test(
    "The state of the kernel's clock decides, and an unreadable state is not checked",
    arguments: [
      (0, 0, 500_000, .ok), (0, 0x2001, 999_999, .ok), (0, 0x2001, 1_000_000, .warning),
      (5, 0x40, 16_000_000, .warning),
      (0, 0x40, 1_000, .warning), (5, 0, 1_000, .warning), (-1, 0, 0, .notChecked),
    ] as [(Int32, Int32, Int, Check.Verdict)])
  func clock(state: Int32, status: Int32, errorUs: Int, verdict: Check.Verdict) {
    let check = ClockState.check(ClockState(state: state, status: status, errorUs: errorUs))
    #expect(check.verdict == verdict && check.id == "clock-synchronized")
  }

  @Test("Versions compare by their numbers, and a missing number is 0")
  func versions() throws {
    let sorted = ["3.9", "3.40.1", "3.51.2", "3.51.3", "4.0", "10.0.0-debian"].map { LibraryVersion($0) }
    for (a, b) in zip(sorted, sorted.dropFirst()) { #expect(try #require(a) < #require(b)) }
    #expect(LibraryVersion("3.40") == LibraryVersion("3.40.0"))
    for text in ["", "x", "3..1", ".3"] { #expect(LibraryVersion(text) == nil, "\(text)") }
    #expect(SoftwareChecks.check("libzmq", "libzmq", "4.3.4", from: "4.3.4").verdict == .ok)
    #expect(SoftwareChecks.check("libzmq", "libzmq", "4.3.3", from: "4.3.4").verdict == .failure)
    #expect(SoftwareChecks.check("libzmq", "libzmq", "unknown", from: "4.3.4").verdict == .notChecked)
  }

  @Test("SQLite before 3.51.3 is for one process only")
  func sqlite() {
    #expect(SoftwareChecks.sqliteFinding("3.51.2").contains("open the database with ingest only"))
    #expect(SoftwareChecks.sqliteFinding("3.51.3") == "SQLite 3.51.3")
  }

  @Test("A hash of a second is slow")
  func hashing() {
    #expect(SoftwareChecks.hashing(ms: 999).verdict == .ok)
    #expect(SoftwareChecks.hashing(ms: 1_000).verdict == .warning)
  }
}
