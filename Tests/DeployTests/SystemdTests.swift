import Foundation
import Testing

@Suite("systemd units")
struct SystemdTests {
  @Test("Every unit runs one role as an unprivileged user in a sandbox")
  func services() {
    let expected = [
      "Type=exec", "EnvironmentFile=-/etc/onthemap/onthemap.env", "DynamicUser=yes", "NoNewPrivileges=yes",
      "ProtectSystem=strict", "ProtectHome=yes", "PrivateTmp=yes", "PrivateDevices=yes", "CapabilityBoundingSet=",
      "MemoryDenyWriteExecute=yes", "SystemCallFilter=@system-service", "SystemCallFilter=sched_setscheduler",
      "IPAddressDeny=any", "Restart=on-failure", "RestartSec=1", "RestartPreventExitStatus=78",
      "StartLimitIntervalSec=0", "PartOf=onthemap.target",
      "WantedBy=onthemap.target", "WantedBy=multi-user.target",
    ]
    func rule(_ file: DeployFile) -> [String] {
      let lines = Set(file.lines)
      var errors = expected.filter { !lines.contains(Substring($0)) }.map { "\($0) is missing." }
      let role = file.role
      if !lines.contains("ExecStart=/usr/bin/onthemap \(role)") { errors.append("it does not run \(role).") }
      let folder = lines.first { $0.hasPrefix("StateDirectory=") }
      let expectedFolder = [
        "ingest": "StateDirectory=onthemap onthemap-backup", "feed": "StateDirectory=onthemap-feed",
      ][role]
      if folder.map(String.init) != expectedFolder {
        errors.append("ingest and feed have a state directory, and no other service.")
      }
      return errors
    }
    let ingest = DeployFile("deploy/systemd/onthemap-ingest.service")
    enforce(
      Deployment.services, to: rule,
      bad: expected.map { ingest.with($0 + "\n", replacedBy: "\n") } + [
        ingest.with("onthemap ingest", replacedBy: "onthemap feed"), ingest.with("StateDirectory=", replacedBy: "#"),
      ])
  }

  @Test("The units for backups run as ingest's user, in ingest's sandbox and folders")
  func backups() {
    let ingest = DeployFile("deploy/systemd/onthemap-ingest.service")
    // The tools bind no address, and no limits of the role apply to them.
    let sandbox = ingest.lines.drop { $0 != "User=onthemap-ingest" }.prefix { !$0.isEmpty }
      .filter {
        !$0.hasPrefix("#") && !$0.hasPrefix("RestrictAddressFamilies=") && !$0.hasSuffix("=sched_setscheduler")
      }
    #expect(sandbox.count > 30)
    let expected = [
      "backup": [
        "ExecStart=/usr/bin/onthemap backup %S/onthemap-backup --keep 14", "StateDirectory=onthemap onthemap-backup",
        "Environment=ONTHEMAP_DATA=%S/onthemap",
      ],
      "check": ["ExecStart=/usr/bin/onthemap restore --check %S/onthemap-backup", "StateDirectory=onthemap-backup"],
    ]
    func rule(_ file: DeployFile) -> [String] {
      let lines = Set(file.lines)
      return ((expected[file.role] ?? ["a known tool"]).map { $0[...] } + sandbox).filter { !lines.contains($0) }
        .map { "\($0) is missing." }
    }
    let backup = DeployFile("deploy/systemd/onthemap-backup.service")
    enforce(
      Deployment.tools, to: rule,
      bad: [
        backup.with("User=onthemap-ingest", replacedBy: "User=onthemap"),
        backup.with("ProtectSystem=strict", replacedBy: ""), backup.with(" --keep 14", replacedBy: ""),
      ])
    #expect(Deployment.tools.count == 2)
  }

  @Test("Each unit for backups has a timer, which an operator enables")
  func timers() {
    let timers = Deployment.units.filter { $0.path.hasSuffix(".timer") }
    func rule(_ file: DeployFile) -> [String] {
      let expected = ["RandomizedDelaySec=", "Persistent=yes", "WantedBy=timers.target", "OnCalendar="]
      return expected.filter { line in !file.lines.contains { $0.hasPrefix(line) } }.map { "\($0) is missing." }
    }
    #expect(
      timers.map { $0.name.replacing(".timer", with: ".service") }.sorted() == Deployment.tools.map(\.name).sorted())
    let daily = DeployFile("deploy/systemd/onthemap-backup.timer")
    enforce(timers, to: rule, bad: [daily.with("Persistent=yes", replacedBy: "")])
    #expect(daily.lines.contains("OnCalendar=daily"))
  }

  /// Roles whose units are templates: an instance reads a file of its own, and libzmq only connects.
  private static let templates: Set = ["worker", "gateway"]

  @Test("systemd holds the HTTP socket of ingest, a gateway and the feed during a restart")
  func heldSockets() {
    func rule(_ file: DeployFile) -> [String] {
      let expected = ["FileDescriptorStoreMax=1", "NotifyAccess=main"]
      let lines = Set(file.lines)
      return file.role == "worker" ? [] : expected.filter { !lines.contains(Substring($0)) }.map { "\($0) is missing." }
    }
    let feed = DeployFile("deploy/systemd/onthemap-feed.service")
    let gateway = DeployFile("deploy/systemd/onthemap-gateway@.service")
    enforce(
      Deployment.services, to: rule,
      bad: [feed, gateway].flatMap {
        [$0.with("FileDescriptorStoreMax=1\n", replacedBy: ""), $0.with("NotifyAccess=main\n", replacedBy: "")]
      })
  }

  @Test("A worker or a gateway reads the settings of its instance after those of all units")
  func settingsFiles() {
    func rule(_ file: DeployFile) -> [String] {
      let files = file.matches(of: #"^EnvironmentFile=-/etc/onthemap/(.*)$"#)
      // A later file overrides an earlier one.
      let expected = ["onthemap.env"] + (Self.templates.contains(file.role) ? ["\(file.role)-%i.env"] : [])
      return files == expected ? [] : ["it reads \(files)."]
    }
    let worker = DeployFile("deploy/systemd/onthemap-worker@.service")
    enforce(
      Deployment.services, to: rule,
      bad: [
        worker.with("worker-%i.env\n", replacedBy: "worker.env\n"),
        worker.with("EnvironmentFile=-/etc/onthemap/onthemap.env\n", replacedBy: ""),
        DeployFile("deploy/systemd/onthemap-gateway@.service").with("gateway-%i.env\n", replacedBy: "worker-%i.env\n"),
      ])
  }

  @Test("Only services that bind a ZeroMQ address may use netlink sockets")
  func families() {
    func rule(_ file: DeployFile) -> [String] {
      let families = (file.matches(of: "^RestrictAddressFamilies=(.*)$").last ?? "").split(separator: " ")
      let expected: Set<Substring> = ["AF_UNIX", "AF_INET", "AF_INET6"]
      return Set(families) == (Self.templates.contains(file.role) ? expected : expected.union(["AF_NETLINK"]))
        ? [] : ["its address families are \(families)."]
    }
    enforce(
      Deployment.services, to: rule,
      bad: [
        DeployFile("deploy/systemd/onthemap-ingest.service").with(" AF_NETLINK", replacedBy: ""),
        DeployFile("deploy/systemd/onthemap-feed.service").with(" AF_NETLINK", replacedBy: ""),
        DeployFile("deploy/systemd/onthemap-worker@.service").with("AF_INET6", replacedBy: "AF_INET6 AF_NETLINK"),
      ])
  }

  @Test(
    "Every unit's address families suffice for libzmq",
    .enabled(if: filteringPython != nil, "python3, libzmq.so.5 or the right to set a seccomp filter is missing"))
  func sockets() throws {
    let python = try #require(Self.filteringPython)
    func rule(_ file: DeployFile) throws -> [String] {
      let families = file.matches(of: "^RestrictAddressFamilies=(.*)$").last ?? ""
      let action = Self.templates.contains(file.role) ? "connect" : "bind"
      let (status, output) = try python.run("-c", Self.filtered, families, action)
      return status == 0 ? [] : ["libzmq cannot \(action): \(output)"]
    }
    let feed = DeployFile("deploy/systemd/onthemap-feed.service")
    try enforce(Deployment.services, to: rule, bad: [feed.with(" AF_NETLINK", replacedBy: "")])
  }

  private static let filteringPython = Program.python.flatMap {
    (try? $0.run("-c", filtered, "AF_UNIX").status) == 0 ? $0 : nil
  }

  /// Refuses sockets of other families than the first argument's by seccomp(2), like systemd. Then libzmq performs the
  /// actions of the other arguments.
  private static let filtered = """
    import ctypes, errno, platform, resource, socket, struct, sys

    LOAD, EQUALS, RETURN = 0x20, 0x15, 0x06
    families = [int(getattr(socket, name)) for name in sys.argv[1].split()]
    number = {"x86_64": 41, "aarch64": 198}[platform.machine()]  # socket(2)
    rules = [(LOAD, 0, 0, 0), (EQUALS, 0, len(families) + 2, number), (LOAD, 0, 0, 16)]
    rules += [(EQUALS, len(families) - index, 0, family) for index, family in enumerate(families)]
    rules += [(RETURN, 0, 0, 0x00050000 | errno.EAFNOSUPPORT), (RETURN, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
    filter = ctypes.create_string_buffer(struct.pack("HP", len(rules), ctypes.addressof(code)))

    zmq, libc = ctypes.CDLL("libzmq.so.5"), ctypes.CDLL(None)
    zmq.zmq_ctx_new.restype = zmq.zmq_socket.restype = ctypes.c_void_p
    zmq.zmq_socket.argtypes = [ctypes.c_void_p, ctypes.c_int]
    zmq.zmq_bind.argtypes = zmq.zmq_connect.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # PR_SET_NO_NEW_PRIVS; PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, filter, 0, 0) != 0:
        sys.exit("the filter is refused")
    for action in sys.argv[2:]:
        dealer = zmq.zmq_socket(zmq.zmq_ctx_new(), 5)
        address = {"bind": b"tcp://127.0.0.1:*", "connect": b"tcp://127.0.0.1:9"}[action]
        if getattr(zmq, "zmq_" + action)(dealer, address) != 0:
            sys.exit("zmq_" + action + " failed")
    """

  @Test("onthemap.target wants every service except gateways, which a default installation does not need")
  func target() {
    let services = Set(Deployment.services.filter { $0.role != "gateway" }.map(\.name))
    func rule(_ file: DeployFile) -> [String] {
      let expected = (file.matches(of: #"^Wants=(.*)$"#).first ?? "").split(separator: " ")
      let names = Set(expected.map { String($0.replacing(#/@\d+\./#, with: "@.")) })
      return names.subtracting(services).map { "\($0) does not exist, or is a gateway." }
        + services.subtracting(names).map { "\($0) is not listed." }
    }
    let target = DeployFile("deploy/systemd/onthemap.target")
    enforce(
      [target], to: rule,
      bad: [
        target.with("-feed.", replacedBy: "-feeds."), target.with(" onthemap-feed.service", replacedBy: ""),
        target.with(" onthemap-feed.", replacedBy: " onthemap-gateway@1.service onthemap-feed."),
      ])
  }

  @Test(
    "systemd-analyze verify accepts every unit",
    .enabled(if: Program.systemdAnalyze != nil, "systemd-analyze is not installed"))
  func verify() throws {
    let analyze = try #require(Program.systemdAnalyze)
    let feed = DeployFile("deploy/systemd/onthemap-feed.service")
    try enforce(
      Deployment.units,
      to: { file in
        try withUnits(changed: file) { path, folder in
          let (status, output) = try analyze.run("verify", "--man=no", path, at: folder)
          return status == 0 && output.isEmpty ? [] : ["exit code \(status): \(output)"]
        }
      },
      bad: [
        feed.with("Type=exec", replacedBy: "Typ=exec"), feed.with("UMask=0077", replacedBy: "UMask=rw"),
        feed.with("ExecStart=", replacedBy: "#ExecStart="),
      ])
  }

  @Test(
    "The exposure level of every service is at most 2.5 of 10",
    .enabled(if: Program.systemdAnalyze != nil, "systemd-analyze is not installed"))
  func exposure() throws {
    let analyze = try #require(Program.systemdAnalyze)
    let feed = DeployFile("deploy/systemd/onthemap-feed.service")
    try enforce(
      Deployment.services + Deployment.tools,
      to: { file in
        try withUnits(changed: file) { path, folder in
          let (status, output) = try analyze.run("security", "--offline=true", "--threshold=25", path, at: folder)
          return status == 0 ? [] : [output.split(separator: "\n").last.map(String.init) ?? "exit code \(status)"]
        }
      },
      bad: [
        feed.with("SystemCallFilter=", replacedBy: "#").with("RestrictNamespaces=", replacedBy: "#")
          .with("IPAddressDeny=", replacedBy: "#").with("CapabilityBoundingSet=", replacedBy: "#")
      ])
  }

  /// Calls the body with a folder of all units, with `changed` in place of its original and a program that exists. The
  /// template is present as its first instance too.
  private func withUnits(changed: DeployFile, _ body: (String, URL) throws -> [String]) throws -> [String] {
    func instance(_ name: String) -> String { name.replacingOccurrences(of: "@.", with: "@1.") }
    return try Deployment.withFolder { folder in
      for unit in Deployment.units {
        let text = unit.path == changed.path ? changed.text : unit.text
        let adapted = text.replacingOccurrences(of: "=/usr/bin/onthemap ", with: "=/bin/true ")
        for name in [unit.name, instance(unit.name)] {
          try Data(adapted.utf8).write(to: folder.appending(path: name))
        }
      }
      return try body("./" + instance(changed.name), folder)
    }
  }
}
