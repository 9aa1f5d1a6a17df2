import Foundation
import Testing

@Suite("Keys of the links", .fixture, .serialized)
struct KeyTests {
  /// A key pair: the file of the secret key, and the public key.
  private struct Key {
    let file: String
    let publicKey: String
  }

  private static func key(_ name: String) async throws -> Key {
    let file = SystemFixture.current.path(name + ".key")
    let (status, output, log) = try await SystemFixture.current.run("keys", "new", "--output", file)
    #expect(status == 0 && log.isEmpty)
    return Key(file: file, publicKey: output.trimmingCharacters(in: .newlines))
  }

  private static func list(_ name: String, _ keys: [Key]) throws -> String {
    let path = SystemFixture.current.path(name)
    let text = keys.map { "\($0.publicKey) \($0.file.split(separator: "/").last ?? "")\n" }.joined()
    try Data(("# allowed keys\n" + text).utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Starts each role in its own process with its own key, on every address of this host.
  private static func services(ingest: Key, workers: [Key], feed: Key, subscribers: String) async throws -> Services {
    let fixture = SystemFixture.current
    let (jobs, changes) = (try Port.free(), try Port.free())
    let program = try fixture.program([
      "ingest", "--data", fixture.path("data"), "--http", "127.0.0.1:0", "--jobs", "tcp://0.0.0.0:\(jobs)", "--changes",
      "tcp://0.0.0.0:\(changes)", "--key-file", ingest.file, "--allow-workers", try list("workers.keys", workers),
      "--allow-feeds", try list("feeds.keys", [feed]), "--submit", "tcp://0.0.0.0:*", "--allow-producers", "anyone",
    ])
    try await program.startAndWait()
    let feedProgram = try fixture.program([
      "feed", "--ingest", "tcp://127.0.0.1:\(changes)", "--publish", "tcp://0.0.0.0:\(try Port.free())", "--query",
      "tcp://127.0.0.1:\(try Port.free())", "--data", "none", "--http", "127.0.0.1:0", "--key-file", feed.file,
      "--ingest-key", ingest.publicKey, "--allow-subscribers", subscribers,
    ])
    try await feedProgram.startAndWait()
    var services = Services(feed: feedProgram, ingest: program)
    for worker in workers {
      services.workers.append(try Self.worker(worker, of: services, ingest))
      try await services.workers[services.workers.count - 1].startAndWait()
    }
    return services
  }

  private static func worker(_ key: Key, of services: Services, _ ingest: Key) throws -> Program {
    let jobs = try services.ports.first { $0.name == "jobs" }?.port ?? 0
    return try SystemFixture.current.program([
      "worker", "--ingest", "tcp://127.0.0.1:\(jobs)", "--key-file", key.file, "--ingest-key", ingest.publicKey,
    ])
  }

  @Test("A post reaches worker, feed and subscriber over encrypted links, and strangers see nothing")
  func whole() async throws {
    let (ingest, worker, feed) = (
      try await Self.key("ingest"), try await Self.key("worker"), try await Self.key("feed")
    )
    let reader = try await Self.key("reader")
    let readers = try Self.list("readers.keys", [reader])
    let map = try await Self.services(ingest: ingest, workers: [worker], feed: feed, subscribers: readers)
    let publish = try #require(map.feed?.ready["feed"]).replacingOccurrences(of: "0.0.0.0", with: "127.0.0.1")
    let watcher = Watcher(
      program: try SystemFixture.current.program([
        "watch", "--json", "--feed", publish, "--feed-key", feed.publicKey, "--key-file", reader.file,
      ]))
    try watcher.program.start()
    try await eventually("the subscriber has a list") { try watcher.list != nil }
    let client = try await map.client.signedUp()
    try await client.expectService()
    try await eventually("the subscriber has the post") { try await watcher.list == client.list() }
    #expect(map.ingest.standardError.contains("peer connected") && map.ingest.standardError.contains("name=worker.key"))
    let submit = try #require(map.ingest.ready["submit"]).replacingOccurrences(of: "0.0.0.0", with: "127.0.0.1")
    let load = try await SystemFixture.current.run(
      "load", "--server", client.base, "--feed", publish, "--feed-key", feed.publicKey, "--key-file", reader.file,
      "--submit", submit, "--submit-key", ingest.publicKey, "--rate", "50", "--duration", "1")
    #expect(load.status == 0, "\(load.output) \(load.log)")
    // Neither a subscriber that has no key nor a stranger sees anything.
    for (more, reason) in [
      ([], "plaintext_peer"), (["--feed-key", feed.publicKey], "key_not_listed"),
      (["--feed-key", feed.publicKey, "--key-file", worker.file], "key_not_listed"),
    ] as [([String], String)] {
      let failed = #"onthemap_link_handshakes_failed_total{link="feed",reason="\#(reason)"}"#
      let before = try await Scrape(map.operations[1])[failed]
      let stranger = try SystemFixture.current.program(["watch", "--json", "--feed", publish] + more)
      try stranger.start()
      try await eventually("the stranger is refused") { try await Scrape(map.operations[1])[failed] > before }
      #expect(stranger.standardOutput.isEmpty && stranger.pid != nil)
      try await stranger.kill()
    }
    let secrets = try [ingest, worker, feed, reader].map { try String(contentsOfFile: $0.file, encoding: .utf8) }
    for secret in secrets.compactMap({ $0.split(separator: "\n").last }) {
      for program in [map.ingest, map.feed, map.workers[0]] {
        #expect(program?.standardError.contains(secret) == false)
      }
    }
  }

  @Test("A reloaded allowlist connects and disconnects workers, and an invalid one changes nothing")
  func reload() async throws {
    let (ingest, worker, feed) = (
      try await Self.key("ingest"), try await Self.key("worker"), try await Self.key("feed")
    )
    let late = try await Self.key("late")
    let map = try await Self.services(ingest: ingest, workers: [worker], feed: feed, subscribers: "anyone")
    let client = try await map.client.signedUp()
    let second = try Self.worker(late, of: map, ingest)
    try second.start()
    try await eventually("the second worker is refused") {
      map.ingest.standardError.contains("peer refused")
        && second.standardError.contains("key not on its allowlist")
    }
    #expect(second.standardError.contains(late.publicKey))
    let denied = #"onthemap_link_handshakes_failed_total{link="jobs",reason="key_not_listed"}"#
    #expect(try await Scrape(map.operations[0])[denied] > 0)
    _ = try Self.list("workers.keys", [worker, late])
    map.ingest.signal(SIGHUP)
    try await eventually("the second worker is ready") { !second.ready.isEmpty }
    #expect(map.ingest.standardError.contains("allowlist loaded keys=2"))

    let file = SystemFixture.current.path("workers.keys")
    try Data("nonsense\n".utf8).write(to: URL(fileURLWithPath: file))
    map.ingest.signal(SIGHUP)
    try await eventually("the reload fails") { map.ingest.standardError.contains("allowlist reload failed") }
    #expect(map.ingest.standardError.contains("line 1"))
    try await client.expectService()

    _ = try Self.list("workers.keys", [late])
    map.ingest.signal(SIGHUP)
    try await eventually("the first worker is refused") {
      map.workers[0].standardError.contains("key not on its allowlist")
    }
    try await client.expectService()
  }

  @Test("The command up can encrypt its links, and its allowlists admit further peers")
  func up() async throws {
    let (own, other) = (try await Self.key("own"), try await Self.key("other"))
    let workers = try Self.list("workers.keys", [other])
    let feeds = try Self.list("feeds.keys", [])
    let map = try await SystemFixture.current.up(
      "--key-file", own.file, "--allow-workers", workers, "--allow-feeds", feeds, "--allow-subscribers", "anyone",
      "--workers", "1")
    try await map.client.signedUp().expectService()
    let worker = try Self.worker(other, of: map, own)
    try await worker.startAndWait()
    let watcher = Watcher(
      program: try SystemFixture.current.program([
        "watch", "--json", "--feed", try map.publish, "--feed-key", own.publicKey,
      ]))
    try watcher.program.start()
    try await eventually("anyone with the public key has the list") { try watcher.list?.entries.count == 1 }
  }

  @Test("The command keys new writes a private key file and replaces one only with --force")
  func command() async throws {
    let key = try await Self.key("a")
    #expect(key.publicKey.utf8.count == 40)
    let fixture = SystemFixture.current
    #expect(try await fixture.run("keys", "show", key.file).output == key.publicKey + "\n")
    let mode = try FileManager.default.attributesOfItem(atPath: key.file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let (status, output, log) = try await fixture.run("keys", "new", "--output", key.file)
    #expect(status > 0 && output.isEmpty && log.contains("--force"))
    #expect(try await fixture.run("keys", "show", key.file).output == key.publicKey + "\n")
    let forced = try await fixture.run("keys", "new", "--output", key.file, "--force")
    #expect(forced.status == 0 && forced.output != key.publicKey + "\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key.file)
    let open = try await fixture.run("keys", "show", key.file)
    #expect(open.status > 0 && open.output.isEmpty && open.log.contains("chmod 600"))
  }

  @Test(
    "A public address in plain text needs --allow-plaintext",
    arguments: [
      (["ingest", "--jobs", "tcp://0.0.0.0:*"], ["--jobs (ONTHEMAP_JOBS)", "--key-file", "--allow-plaintext jobs"]),
      (["ingest", "--changes", "tcp://*:*"], ["--changes", "--allow-feeds", "--allow-plaintext changes"]),
      (["up", "--publish", "tcp://[::]:*"], ["--publish", "--allow-subscribers", "--allow-plaintext feed"]),
      (["feed", "--publish", "tcp://10.0.0.1:7710"], ["--publish", "without encryption"]),
      (["feed", "--allow-subscribers", "anyone"], ["--allow-subscribers", "--key-file"]),
      (["worker", "--ingest-key", "x"], ["--ingest-key (ONTHEMAP_INGEST_KEY)", "40 characters", "\"x\""]),
      (["ingest", "--allow-plaintext", "all"], ["--allow-plaintext", "jobs, changes, gateway, feed, query", "all"]),
    ])
  func refused(arguments: [String], words: [String]) async throws {
    let (status, output, log) = try await SystemFixture.current.run(arguments)
    #expect(status > 0 && output.isEmpty)
    for word in words { #expect(log.contains(word), "\(word)") }
  }

  @Test("A key file that no link uses is refused")
  func unused() async throws {
    let key = try await Self.key("a")
    for role in ["ingest", "worker", "feed", "up", "watch"] {
      let (status, _, log) = try await SystemFixture.current.run([role, "--key-file", key.file])
      #expect(status > 0 && log.contains("no link uses it"), "\(role)")
    }
  }

  @Test("Links with --allow-plaintext work on public addresses")
  func allowed() async throws {
    let fixture = SystemFixture.current
    let ingest = try fixture.program([
      "ingest", "--data", fixture.path("data"), "--http", "127.0.0.1:0", "--jobs", "tcp://0.0.0.0:*", "--changes",
      "tcp://0.0.0.0:*", "--allow-plaintext", "jobs,changes", "--submit", "tcp://127.0.0.1:*",
    ])
    try await ingest.startAndWait()
    let jobs = try #require(ingest.ready["jobs"]).replacingOccurrences(of: "0.0.0.0", with: "127.0.0.1")
    try await fixture.program(["worker", "--ingest", jobs]).startAndWait()
    // SIGHUP finds no allowlist to reload, and does not end ingest.
    ingest.signal(SIGHUP)
    try await eventually("the ignored signal is logged") {
      ingest.standardError.contains("SIGHUP ignored: no allowlist configured")
    }
    try await Services(ingest: ingest).client.signedUp().expectService()
  }

  @Test("A gateway, which has no allowlist, ignores SIGHUP")
  func gatewayHangup() async throws {
    let gateway = try SystemFixture.current.program([
      "gateway", "--ingest", "tcp://127.0.0.1:\(try Port.free())", "--http", "127.0.0.1:0", "--operations",
      "127.0.0.1:0",
    ])
    try await gateway.startAndWait()
    gateway.signal(SIGHUP)
    try await eventually("the ignored signal is logged") {
      gateway.standardError.contains("SIGHUP ignored: no allowlist configured")
    }
    let operations = Client(try #require(gateway.ready["operations"]))
    #expect(try await operations.get("/livez").status == 204)
  }
}
