import Foundation
import Testing

@Suite("Doctor", .fixture)
struct DoctorTests {
  /// A check of the JSON output.
  private struct Check: Decodable {
    let id, verdict, finding: String
    let remedy: String?
    let value: Double?
    let unit: String?
  }

  private struct Report: Decodable {
    let service, version: String
    let healthy: Bool
    let checks: [Check]

    subscript(id: String) -> Check? { checks.first { $0.id == id } }

    /// Returns true if all these checks have the verdict.
    func has(_ verdict: String, _ ids: [String]) -> Bool { ids.allSatisfy { self[$0]?.verdict == verdict } }
  }

  /// Free ports for all addresses of `up`, or of a part of its services.
  private static let free = [
    "--http", "127.0.0.1:0", "--jobs", "tcp://127.0.0.1:*", "--changes", "tcp://127.0.0.1:*", "--submit",
    "tcp://127.0.0.1:*", "--operations", "127.0.0.1:0",
  ]
  private static let freeFeed = ["--feed-http", "127.0.0.1:0", "--publish", "tcp://127.0.0.1:*"]

  /// Runs `doctor`, again until the report is as expected. On a busy machine, a check may exceed its timeout.
  ///
  /// - Parameters:
  ///   - command: A command that runs the program, with its arguments.
  ///   - isExpected: The expectation. The last report counts, as expected or not.
  private static func report(
    _ arguments: [String], environment: [String: String] = [:], under command: [String] = [],
    until isExpected: (Report) -> Bool = { _ in true }
  ) async throws -> (status: Int32, report: Report) {
    let end = ContinuousClock.now + .seconds(120)
    while true {
      let found = try await single(arguments, environment: environment, under: command)
      if isExpected(found.report) || ContinuousClock.now > end { return found }
    }
  }

  private static func single(
    _ arguments: [String], environment: [String: String], under command: [String]
  ) async throws -> (status: Int32, report: Report) {
    let program = try SystemFixture.current.program(["doctor"] + arguments + ["--json"], environment: environment)
    try program.start(under: command)
    let status = try await program.exit()
    let report = try JSONDecoder().decode(Report.self, from: Data(program.standardOutput.utf8))
    #expect(report.healthy == (status == 0), "\(program.standardError)")
    for check in report.checks {
      #expect((check.value == nil) == (check.unit == nil) && !check.finding.isEmpty, "\(check)")
      #expect((check.remedy == nil) == ["ok", "not_checked"].contains(check.verdict), "\(check)")
    }
    return (status, report)
  }

  private static func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
    let path = SystemFixture.current.path(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  /// Creates a key file. Returns its path and its public key.
  private static func key(_ name: String) async throws -> (file: String, publicKey: String) {
    let file = SystemFixture.current.path(name)
    let (status, output, log) = try await SystemFixture.current.run("keys", "new", "--output", file)
    #expect(status == 0, "\(log)")
    return (file, output.trimmingCharacters(in: .newlines))
  }

  @Test("A healthy `up` has no failure but those of this machine, the article names each check, and nothing changes")
  func healthy() async throws {
    let data = SystemFixture.current.path("data")
    let (status, report) = try await Self.report(["up", "--data", data] + Self.free + Self.freeFeed)
    // The machine that runs the tests may be small, or keep its temporary files in memory.
    let ofMachine: Set = [
      "data-folder-filesystem", "data-folder-space", "data-folder-inodes", "file-descriptors", "memory", "processes",
    ]
    let failures = report.checks.filter { $0.verdict == "failure" && !ofMachine.contains($0.id) }
    #expect(failures.isEmpty && (status == 0 || status == 1), "\(failures)")
    let ids = report.checks.map(\.id)
    #expect(Set(ids).count == ids.count)
    for id in ["data-folder", "sqlite", "password-hashing", "clock-synchronized", "address-jobs", "trusted-proxies"] {
      #expect(ids.contains(id), "\(id)")
    }
    #expect(!FileManager.default.fileExists(atPath: data))
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    let article = try String(contentsOf: root.appendingPathComponent("deploy/Doctor.md"), encoding: .utf8)
    for id in ids { #expect(article.contains("`\(id)`"), "deploy/Doctor.md lacks \(id).") }
  }

  @Test("A running service has its addresses, its lock and the version of this program")
  func running() async throws {
    let fixture = SystemFixture.current
    let ports = try (0..<7).map { _ in try Port.free() }
    let arguments = [
      "--data", fixture.path("data"), "--http", "127.0.0.1:\(ports[0])", "--feed-http", "127.0.0.1:\(ports[1])",
      "--jobs", "tcp://127.0.0.1:\(ports[2])", "--changes", "tcp://127.0.0.1:\(ports[3])", "--publish",
      "tcp://127.0.0.1:\(ports[4])", "--query", "tcp://127.0.0.1:\(ports[5])", "--submit", "tcp://127.0.0.1:*",
      "--operations", "127.0.0.1:\(ports[6])", "--public-url", "http://127.0.0.1:\(ports[0])",
    ]
    let up = try fixture.program(["up"] + arguments)
    try await up.startAndWait()
    let right = [
      "address-http", "address-feed-http", "address-jobs", "address-changes", "address-feed", "address-query",
      "address-operations", "address-admin", "health-http", "health-feed-http", "running-version", "public-url",
      "clock-offset", "database-files",
    ]
    let (_, report) = try await Self.report(["up"] + arguments) { $0.has("ok", right) }
    let pid = try #require(up.pid)
    // Some file systems number their files in another way than the kernel's list of locks, which has the process.
    let lock = report["instance-lock"]?.finding ?? ""
    let isKnown = lock == "process \(pid) holds the lock: ingest runs"
    #expect(isKnown || lock == "a process holds the lock: ingest runs")
    let source = isKnown ? "process \(pid)" : "this process"
    #expect(report["file-descriptors"]?.finding.hasPrefix("\(source) may open") == true)
    for id in right { #expect(report[id]?.verdict == "ok", "\(id): \(report[id]?.finding ?? "missing")") }
    #expect(report["database-integrity"]?.verdict == "not_checked")

    let (_, worker) = try await Self.report(
      ["worker", "--ingest", "tcp://127.0.0.1:\(ports[2])", "--operations", "127.0.0.1:0"]
    ) { $0.has("ok", ["ingest-link"]) }
    #expect(worker["ingest-link"]?.verdict == "ok", "\(worker["ingest-link"]?.finding ?? "missing")")
    try await up.kill()
    let (_, ended) = try await Self.report(["up"] + arguments)
    #expect(ended["instance-lock"]?.finding == "no process uses the folder")
    #expect(ended["database-integrity"]?.verdict == "ok", "\(ended["database-integrity"]?.finding ?? "missing")")
  }

  @Test("A key file that others can read is an invalid setting, and an allowlist that others can write is a failure")
  func keyModes() async throws {
    let (key, publicKey) = try await Self.key("ingest.key")
    let lists = [
      "--key-file", key, "--allow-workers", try Self.file("workers.keys", "\(publicKey) seattle\n", mode: 0o666),
    ]
    let arguments = ["ingest", "--data", SystemFixture.current.path("data")] + Self.free + lists
    let (status, report) = try await Self.report(arguments)
    #expect(status == 1 && report["allowlist-jobs"]?.verdict == "failure")
    #expect(report["key-file"]?.verdict == "ok")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
    let (invalid, settings) = try await Self.report(arguments)
    #expect(invalid == 78 && settings.checks.map(\.id) == ["settings"])
    #expect(settings["settings"]?.finding.contains("chmod 600 \(key)") == true)
    let config = try await SystemFixture.current.run(["config"] + arguments)
    let doctor = try await SystemFixture.current.run(["doctor"] + arguments)
    #expect(config.status == 78 && doctor.status == 78 && doctor.log == config.log)
  }

  @Test("A folder that ingest cannot create is a failure")
  func unwritable() async throws {
    // Not even root may create a file in /proc.
    let (status, report) = try await Self.report(["ingest", "--data", "/proc/onthemap"] + Self.free)
    #expect(status == 1 && report["data-folder"]?.verdict == "failure")
  }

  @Test(
    "A data folder in memory is a failure",
    .enabled(if: (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8))?.contains(" /dev/shm tmpfs ") == true))
  func memory() async throws {
    let folder = "/dev/shm/onthemap-\(UUID().uuidString)"
    let (status, report) = try await Self.report(["ingest", "--data", folder] + Self.free)
    let check = report["data-folder-filesystem"]
    #expect(status == 1 && check?.verdict == "failure" && check?.finding.contains("tmpfs") == true)
  }

  @Test("A port that another program has is a failure, for HTTP and for a link")
  func takenPort() async throws {
    let (http, jobs) = (try Port.free(), try Port.free())
    let listeners = try [http, jobs].map { try Listener(port: $0) }
    defer { withExtendedLifetime(listeners) {} }
    let (status, report) = try await Self.report([
      "ingest", "--data", SystemFixture.current.path("data"), "--http", "127.0.0.1:\(http)", "--jobs",
      "tcp://127.0.0.1:\(jobs)", "--changes", "tcp://127.0.0.1:*", "--submit", "tcp://127.0.0.1:*", "--operations",
      "none",
    ]) { $0.has("failure", ["address-http", "address-jobs"]) }
    #expect(status == 1)
    #expect(report["address-http"]?.verdict == "failure" && report["address-jobs"]?.verdict == "failure")
    #expect(report["address-http"]?.remedy?.contains("ss -ltnp 'sport = :\(http)'") == true)
    #expect(report["address-changes"]?.verdict == "ok")
  }

  @Test("An ingest that is not reached differs from one that refuses the key")
  func links() async throws {
    let port = try Port.free()
    let (ingestKey, ingestPublic) = try await Self.key("ingest.key")
    let (workerKey, _) = try await Self.key("worker.key")
    let worker = [
      "worker", "--ingest", "tcp://127.0.0.1:\(port)", "--operations", "none", "--key-file", workerKey, "--ingest-key",
      ingestPublic,
    ]
    let (away, unreached) = try await Self.report(worker) {
      $0["ingest-link"]?.finding.contains("connection refused") == true
    }
    #expect(away == 1 && unreached["ingest-link"]?.verdict == "failure")
    #expect(unreached["ingest-link"]?.finding.contains("is not reached: connection refused") == true)

    let list = try Self.file("workers.keys", "\(ingestPublic) another\n")
    let ingest = try SystemFixture.current.program([
      "ingest", "--data", SystemFixture.current.path("data"), "--http", "127.0.0.1:0", "--jobs",
      "tcp://127.0.0.1:\(port)", "--changes", "tcp://127.0.0.1:*", "--submit", "tcp://127.0.0.1:*", "--operations",
      "none", "--key-file", ingestKey, "--allow-workers", list,
    ])
    try await ingest.startAndWait()
    // The settings of this host also name the allowlist, which lacks the worker's key.
    let (refused, report) = try await Self.report(worker, environment: ["ONTHEMAP_ALLOW_WORKERS": list]) {
      $0["ingest-link"]?.finding.contains("handshake fails") == true
    }
    #expect(refused == 1 && report["key-pair"]?.verdict == "failure")
    let finding = report["ingest-link"]?.finding ?? ""
    #expect(finding.contains("is reached, and the handshake fails: key not on its allowlist"), "\(finding)")
  }

  @Test("An address of HTTP or of another link is a failure that names the mistake, for each service")
  func wrongAddresses() async throws {
    let map = try await SystemFixture.current.up("--gateways", "tcp://127.0.0.1:*")
    let ready = map.ingest.ready
    let (http, jobs) = (try #require(ready["http"]), try #require(ready["jobs"]))
    let (changes, gateways) = (try #require(ready["changes"]), try #require(ready["gateways"]))
    /// Runs `doctor` until the link to ingest has the finding.
    func expect(_ verdict: String, _ part: String, _ arguments: [String], ingest: String) async throws {
      let (_, report) = try await Self.report(arguments + ["--ingest", ingest, "--operations", "none"]) {
        $0["ingest-link"]?.finding.contains(part) == true
      }
      let check = report["ingest-link"]
      #expect(check?.verdict == verdict && check?.finding.contains(part) == true, "\(check?.finding ?? "missing")")
    }
    let gateway = ["gateway", "--http", "127.0.0.1:0"]
    let feed = ["feed", "--http", "127.0.0.1:0", "--publish", "tcp://127.0.0.1:*", "--data", "none"]
    try await expect("failure", "speaks HTTP", gateway, ingest: http.replacing("http://", with: "tcp://"))
    try await expect("failure", "another link than ONTHEMAP_GATEWAYS", gateway, ingest: jobs)
    try await expect("ok", "answers as ONTHEMAP_GATEWAYS", gateway, ingest: gateways)
    try await expect("ok", "answers as ONTHEMAP_CHANGES", feed, ingest: changes)
    try await expect("ok", "answers as ONTHEMAP_JOBS", ["worker"], ingest: jobs)
  }

  @Test("A gateway without ingest is a failure, and a worker works with one of two addresses of ingest")
  func gateways() async throws {
    let (away, report) = try await Self.report(
      ["gateway", "--ingest", "tcp://127.0.0.1:\(try Port.free())", "--http", "127.0.0.1:0", "--operations", "none"]
    ) { $0.has("failure", ["ingest-link"]) }
    #expect(away == 1 && report["ingest-link"]?.verdict == "failure" && report["trusted-proxies"]?.verdict == "warning")

    let (jobs, none) = (try Port.free(), try Port.free())
    let ingest = try SystemFixture.current.program([
      "ingest", "--data", SystemFixture.current.path("data"), "--http", "127.0.0.1:0", "--jobs",
      "tcp://127.0.0.1:\(jobs)", "--changes", "tcp://127.0.0.1:*", "--submit", "tcp://127.0.0.1:*", "--operations",
      "none",
    ])
    try await ingest.startAndWait()
    let (_, worker) = try await Self.report(
      ["worker", "--ingest", "tcp://127.0.0.1:\(none),tcp://127.0.0.1:\(jobs)", "--operations", "none"]
    ) { $0.has("ok", ["ingest-link-2"]) }
    #expect(worker["ingest-link"]?.verdict == "warning" && worker["ingest-link-2"]?.verdict == "ok")
  }

  @Test("A gateway whose feeds are away has a failure, and one with a running feed has none")
  func feedsOfGateway() async throws {
    let map = try await SystemFixture.current.up("--gateways", "tcp://127.0.0.1:*")
    let (link, none) = (try #require(map.ingest.ready["gateways"]), "tcp://127.0.0.1:\(try Port.free())")
    func arguments(_ feeds: String) -> [String] {
      ["gateway", "--ingest", link, "--feed", feeds, "--http", "127.0.0.1:0", "--operations", "none"]
    }
    let (status, away) = try await Self.report(arguments(none)) { $0.has("failure", ["feed-link"]) }
    #expect(status == 1 && away["feed-link"]?.finding.contains("is not reached") == true)
    let (_, report) = try await Self.report(arguments("\(none),\(try map.publish)")) { $0.has("ok", ["feed-link-2"]) }
    #expect(report["feed-link"]?.verdict == "warning" && report["ingest-link"]?.verdict == "ok")
  }

  @Test("A feed that would show a members-only map is a failure, and a gateway that cannot use its feeds has a warning")
  func mapAccess() async throws {
    let map = try await SystemFixture.current.up("--map-access", "members", "--gateways", "tcp://127.0.0.1:*")
    let ready = map.ingest.ready
    let http = try #require(ready["http"]).replacing("http://", with: "")
    let feed = [
      "feed", "--ingest", try #require(ready["changes"]), "--http", "127.0.0.1:0", "--publish", "tcp://127.0.0.1:*",
      "--data", "none", "--operations", "none",
    ]
    let (status, report) = try await Self.report(feed, environment: ["ONTHEMAP_HTTP": http]) {
      $0.has("failure", ["map-access"])
    }
    #expect(status == 1 && report["map-access"]?.remedy?.contains("ONTHEMAP_MAP_ACCESS=members") == true)
    let gateway = [
      "gateway", "--ingest", try #require(ready["gateways"]), "--feed", try map.publish, "--http", "127.0.0.1:0",
      "--operations", "none",
    ]
    let (_, members) = try await Self.report(gateway) { $0.has("warning", ["map-access"]) }
    #expect(members["map-access"]?.verdict == "warning" && members["ingest-link"]?.verdict == "ok")
  }

  @Test("Too few descriptors are a failure, and the checks that need more of them do not run")
  func descriptors() async throws {
    let (status, report) = try await Self.report(
      [
        "feed", "--ingest", "tcp://127.0.0.1:1", "--http", "127.0.0.1:0", "--publish",
        "tcp://127.0.0.1:\(try Port.free())", "--data", "none", "--operations", "none",
      ], under: ["sh", "-c", "ulimit -n 20; exec \"$@\"", "sh"])
    #expect(status == 1 && report["file-descriptors"]?.verdict == "failure")
    #expect(report["address-feed"]?.verdict == "not_checked")
    #expect(report["file-descriptors"]?.value == 20 && report["file-descriptors"]?.unit == "descriptors")
  }

  @Test("A proxy that forwards no address is found by a request through the public URL")
  func proxies() async throws {
    let port = try Port.free()
    // The public URL leads to ingest's own address, so the request arrives without a proxy in between.
    let arguments = [
      "ingest", "--data", SystemFixture.current.path("data"), "--http", "127.0.0.1:\(port)", "--jobs",
      "tcp://127.0.0.1:*", "--changes", "tcp://127.0.0.1:*", "--submit", "tcp://127.0.0.1:*", "--operations", "none",
      "--public-url", "http://127.0.0.1:\(port)",
    ]
    let (_, direct) = try await Self.report(arguments) { $0.has("ok", ["forwarded-address"]) }
    #expect(direct["forwarded-address"]?.verdict == "ok", "\(direct["forwarded-address"]?.finding ?? "missing")")
    let (status, report) = try await Self.report(arguments + ["--trusted-proxies", "127.0.0.1"]) {
      $0.has("failure", ["forwarded-address"])
    }
    #expect(status == 1 && report["forwarded-address"]?.verdict == "failure")
    let (_, open) = try await Self.report(arguments + ["--trusted-proxies", "0.0.0.0/0"])
    #expect(open["trusted-proxies"]?.verdict == "failure")
  }

  @Test("The output for people has a line for each check, a summary, and no colours in a pipe")
  func people() async throws {
    let (status, output, log) = try await SystemFixture.current.run(
      ["doctor", "ingest", "--data", "/proc/onthemap"] + Self.free)
    let lines = output.split(separator: "\n")
    #expect(status == 1 && lines.first?.hasPrefix("failure      data-folder  ") == true, "\(output) \(log)")
    #expect(lines.last?.contains(#/\d+ failures?, \d+ warnings?, \d+ not checked, \d+ ok/#) == true)
    #expect(!output.contains("\u{1B}"))
  }
}
