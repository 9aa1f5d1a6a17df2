import Foundation
import Testing

/// The requirements of the subscriber examples.
enum Consumer {
  static let folder = PythonExample.root.appending(path: "deploy/examples").path
  /// Python interpreters with packages from PyPI and from Debian, which have different versions of libzmq.
  static let pythons = [PythonExample.python.path, "/usr/bin/python3"]
  static let compiler = ["cc", "clang"].first { has($0) }
  static let isReady =
    PythonExample.isReady && compiler != nil && has("node") && has("curl") && pythons.allSatisfy(imports)

  static func has(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  private static func imports(_ python: String) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = ["-c", "import zmq, google.protobuf"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// A program that replaces its process by the command in its arguments, with all signals unblocked. The threads of a
  /// test block most signals, and child processes inherit this mask.
  private static let start = """
    import os, signal, sys
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execvp(sys.argv[1], sys.argv[1:])
    """

  /// Creates a program that starts as from a shell.
  static func program(_ command: String..., environment: [String: String] = [:]) throws -> Program {
    try SystemFixture.current.program(
      ["-c", start] + command, executable: URL(fileURLWithPath: "/usr/bin/python3"), environment: environment)
  }

  /// Creates a Python example, with the feed's messages beside it.
  static func python(_ python: String, _ script: String, _ arguments: String...) async throws -> Program {
    try await makeMessages()
    return try SystemFixture.current.program(
      ["-c", start, python, "\(folder)/python/\(script)"] + arguments, executable: URL(fileURLWithPath: python),
      environment: environment)
  }

  /// Generates the Python modules of the feed's messages in the fixture's folder, which `environment` names.
  static func makeMessages() async throws {
    try await run(
      "protoc", "-I", PythonExample.root.appending(path: "proto").path,
      "--python_out=\(SystemFixture.current.folder.path)", "onthemap/feed/v1/feed.proto",
      "onthemap/feed/v1/query.proto")
  }

  static var environment: [String: String] {
    ["PYTHONPATH": SystemFixture.current.folder.path, "PYTHONDONTWRITEBYTECODE": "1"]
  }

  /// Runs a command to its end and expects success.
  static func run(_ command: String...) async throws {
    let program = try SystemFixture.current.program(command, executable: URL(fileURLWithPath: "/usr/bin/env"))
    try program.start()
    #expect(try await program.exit() == 0, "\(program.standardError)")
  }
}

@Suite(
  "Subscribers in other languages", .fixture,
  .enabled(if: Consumer.isReady, "a language is missing: deploy/setup.sh test installs them"))
struct ConsumerTests {
  @Test(
    "The short subscribers in Python and C print the newest post at each change", arguments: Consumer.pythons)
  func short(python: String) async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let level0 = try await Consumer.python(python, "subscriber_level0.py", try map.publish)
    let binary = SystemFixture.current.path("subscriber_level0")
    try await Consumer.run(
      try #require(Consumer.compiler), "-O2", "-Wall", "-o", binary, "\(Consumer.folder)/c/subscriber_level0.c",
      "-lzmq")
    let other = try Consumer.program(binary, try map.publish)
    try level0.start()
    try other.start()
    for (number, place) in ["Oslo", "Lima"].enumerated() {
      let label = try #require(try await client.post(place, wait: 30)["label"])
      let line = "seq \(number + 1): \(number + 1) posts, newest: Ada Lovelace, \(label): https://example.org/ada\n"
      for subscriber in [level0, other] {
        try await eventually("\(subscriber.arguments) prints \(line)") { subscriber.standardOutput.hasSuffix(line) }
      }
    }
    let list = try await client.list()
    let query = try await Consumer.python(python, "query.py", try map.query)
    try query.start()
    #expect(try await query.exit() == 0, "\(query.standardError)")
    let lines = list.entries.map { "\($0.seq) Ada Lovelace, \($0.label): \($0.link)\n" }
    #expect(lines.count == 2 && query.standardOutput == lines.joined())
  }

  private struct Line: Decodable {
    let kind: String
    let epoch: String
    let seq: UInt64
    let stateHash: String
    let live: Bool
    let stale: Bool?
    let reason: String?
  }

  private func lines(_ subscriber: Program) throws -> [Line] {
    let whole = subscriber.standardOutput.components(separatedBy: "\n").dropLast()
    return try whole.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
  }

  /// Posts, and waits until the subscriber has ingest's list and calls it live.
  private func expectFollowing(_ subscriber: Program, _ client: Client) async throws {
    try await client.expectService()
    let list = try await client.list()
    try await eventually("the subscriber has ingest's list") {
      let last = try lines(subscriber).last
      return last?.live == true && last?.epoch == list.epoch && last?.seq == list.seq
        && last?.stateHash == list.stateHash
    }
  }

  @Test(
    "The Python subscriber follows a failover, leaves a silent feed, and shows staleness",
    arguments: Consumer.pythons)
  func failsOver(python: String) async throws {
    let fixture = SystemFixture.current
    let map = try await fixture.roles(workers: 1)
    let first = try #require(map.feed)
    let changes = try map.ports.first { $0.name == "changes" }?.port ?? 0
    let second = try fixture.program([
      "feed", "--ingest", "tcp://127.0.0.1:\(changes)", "--publish", "tcp://127.0.0.1:\(try Port.free())", "--query",
      "tcp://127.0.0.1:\(try Port.free())", "--http", "127.0.0.1:0", "--operations", "none", "--data", "none",
      "--failover-feeds", try map.publish,
    ])
    try await second.startAndWait()
    let client = try await map.client.signedUp()
    let subscriber = try await Consumer.python(python, "subscriber.py", "--json", try #require(second.ready["feed"]))
    try subscriber.start()
    try await expectFollowing(subscriber, client)

    second.signal(SIGTERM)
    #expect(try await second.exit() == 0)
    try await eventually("the subscriber is not live") {
      try lines(subscriber).contains { $0.kind == "resync" && !$0.live }
    }
    #expect(try lines(subscriber).last { $0.kind == "resync" }?.reason == "feed closed: feed shutting down")
    try await expectFollowing(subscriber, client)

    try await second.startAndWait()
    try await first.kill()
    try await eventually("the subscriber is not live") {
      try lines(subscriber).contains { $0.reason == "no frame from the feed" && !$0.live }
    }
    try await expectFollowing(subscriber, client)

    try await map.ingest.kill()
    try await eventually("the subscriber's list is stale") {
      let last = try lines(subscriber).last
      return last?.kind == "stale" && last?.stale == true && last?.live == true
    }
    // Each loss leads to a snapshot. If the machine stalls for 3 s, the feed is silent once more.
    let output = try lines(subscriber)
    let losses = output.filter { $0.kind == "resync" }
    #expect(output.filter { $0.kind == "snapshot" }.count == 1 + losses.count)
    #expect(losses.filter { $0.reason != "no frame from the feed" }.count == 1)
  }

  @Test("The polling script prints the list only when it has changed")
  func poller() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let poller = try Consumer.program("\(Consumer.folder)/curl/latest.sh", try map.feedClient.base + "/v2/feed", "0.1")
    try poller.start()
    for seq in 1...2 {
      try await client.expectService()
      try await eventually("the script has the post") { poller.standardOutput.contains("\"seq\":\(seq),") }
    }
    let lines = poller.standardOutput.split(separator: "\n")
    #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 != $1 }, "\(lines)")
    try #require(map.ingest.pid != nil)
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    try await eventually("the script reports the lost feed") { poller.standardError.contains("the list may be old") }
    poller.signal(SIGTERM)
    #expect(try await poller.exit() == 130)
  }

  @Test(
    "The stream clients print each change, and resume after a feed restart",
    arguments: ["node/stream.mjs", "curl/stream.sh"])
  func stream(script: String) async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let feed = try #require(map.feed)
    let client = try await map.client.signedUp()
    let url = try map.feedClient.base + "/v2/feed/stream"
    let path = "\(Consumer.folder)/\(script)"
    let stream = script.hasSuffix(".mjs") ? try Consumer.program("node", path, url) : try Consumer.program(path, url)
    func lines(_ seq: Int) -> [Substring] {
      stream.standardOutput.split(separator: "\n").filter {
        $0.contains("\"seq\":\(seq),") || $0.contains("seq \(seq): ")
      }
    }
    try stream.start()
    try await eventually("the client has the empty list") { lines(0).count == 1 }
    try await client.expectService()
    try await eventually("the client has the first post") { lines(1).count == 1 }
    #expect(lines(1)[0].contains("Costa Rica"))

    feed.signal(SIGTERM)
    #expect(try await feed.exit() == 0)
    try await eventually("the subscriber is not live") {
      (stream.standardOutput + stream.standardError).contains("the list may be old")
    }
    try await feed.startAndWait()
    try await client.expectService()
    try await eventually("the client has the second post") { lines(2).count == 1 }
    // A client that sends its last event id gets no snapshot.
    let hasSnapshot = ["snapshot", "the list,"].contains { lines(2)[0].contains($0) }
    #expect(lines(1).count == 1 && !hasSnapshot, "\(stream.standardOutput)")
    stream.signal(SIGTERM)
    _ = try await stream.exit()
  }

  @Test("The Node stream client has the feed's hash at each step, also filtered and across kills")
  func killed() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let feed = try #require(map.feed)
    let client = try await map.client.signedUp()
    let queries = ["", "?country=NO,PE", "?bbox=-180,-60,-30,60"]
    let streams = try queries.map {
      try Consumer.program("node", "\(Consumer.folder)/node/stream.mjs", map.feedClient.base + "/v2/feed/stream" + $0)
    }
    for stream in streams { try stream.start() }
    // Returns each list that a stream has had, such as "seq 2: 1 posts, hash 62624d64e67dcbf8".
    func lists(_ stream: Program) -> [Substring] {
      stream.standardOutput.matches(of: #/seq \d+: \d+ posts, hash [0-9a-f]{16}/#).map(\.output)
    }
    func expectSame() async throws {
      for (stream, query) in zip(streams, queries) {
        try await eventually("the stream of \(query) has the feed's list") {
          let list = try await map.feedClient.get("/v2/feed" + query).decoded(FeedList.self)
          return lists(stream).last?.hasSuffix(": \(list.entries.count) posts, hash \(list.stateHash)") == true
        }
      }
    }
    for stream in streams { try await eventually("the client has the empty list") { !lists(stream).isEmpty } }
    let places = ["Oslo", "Lima", "Costa Rica", "Bergen, Norway", "Wellington, NZ", "Cusco, Peru"]
    for (index, place) in places.enumerated() {
      #expect(try await client.post(place, wait: 30)["state"] == "published")
      if index % 2 == 0 { try await feed.restart() }
    }
    // A feed that has just started has the list of its file. A stream that has not reconnected may have the same list.
    try await eventually("the feed has every post") {
      try await map.feedClient.get("/v2/feed").decoded(FeedList.self).entries.count == places.count
    }
    try await expectSame()
    #expect(lists(streams[0]).last?.hasPrefix("seq 6: 6 posts") == true, "\(streams[0].standardOutput)")
    #expect(lists(streams[1]).last?.contains(": 4 posts") == true, "\(streams[1].standardOutput)")
    #expect(lists(streams[2]).last?.contains(": 3 posts") == true, "\(streams[2].standardOutput)")
    for stream in streams {
      #expect(!stream.standardOutput.contains("hash mismatch"), "\(stream.standardOutput)")
      #expect(
        !stream.standardOutput.contains("an event is missing") && !stream.standardOutput.contains("refused"),
        "\(stream.standardOutput)")
      #expect(stream.standardOutput.contains("the list may be old"), "The client must lose the feed and reconnect.")
      stream.signal(SIGTERM)
      _ = try await stream.exit()
    }
  }

  @Test("The Node stream client ends with the reason if the feed refuses its filter")
  func refused() async throws {
    let map = try await SystemFixture.current.up()
    let stream = try Consumer.program(
      "node", "\(Consumer.folder)/node/stream.mjs", map.feedClient.base + "/v2/feed/stream?country=Norway")
    try stream.start()
    #expect(try await stream.exit() == 1)
    #expect(
      stream.standardOutput.hasPrefix("refused: country must be one to 32 codes of two letters"),
      "\(stream.standardOutput)")
  }
}
