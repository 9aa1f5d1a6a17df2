import Foundation
import Testing

/// What the examples of subscribers need here.
enum Consumer {
  static let folder = PythonExample.root.appending(path: "deploy/examples").path
  /// One with the packages of PyPI, one with those of Debian: two versions of libzmq, too.
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

  /// Becomes what its arguments say: a test's own threads have most signals blocked, and what they start inherits that.
  private static let start = """
    import os, signal, sys
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execvp(sys.argv[1], sys.argv[1:])
    """

  /// A program as the shell would start it, not started yet.
  static func program(_ command: String..., environment: [String: String] = [:]) throws -> Program {
    try SystemFixture.current.program(
      ["-c", start] + command, executable: URL(fileURLWithPath: "/usr/bin/python3"), environment: environment)
  }

  /// One of the Python examples, not started yet, with the messages of the feed beside it.
  static func python(_ python: String, _ script: String, _ arguments: String...) async throws -> Program {
    try await makeMessages()
    return try SystemFixture.current.program(
      ["-c", start, python, "\(folder)/python/\(script)"] + arguments, executable: URL(fileURLWithPath: python),
      environment: environment)
  }

  /// Makes the feed's messages in Python, in the stage's folder, where `environment` has them found.
  static func makeMessages() async throws {
    try await run(
      "protoc", "-I", PythonExample.root.appending(path: "proto").path,
      "--python_out=\(SystemFixture.current.folder.path)", "onthemap/feed/v1/feed.proto", "onthemap/feed/v1/query.proto")
  }

  static var environment: [String: String] {
    ["PYTHONPATH": SystemFixture.current.folder.path, "PYTHONDONTWRITEBYTECODE": "1"]
  }

  /// Runs something to its end, which must be a good one.
  static func run(_ command: String...) async throws {
    let program = try SystemFixture.current.program(command, executable: URL(fileURLWithPath: "/usr/bin/env"))
    try program.start()
    #expect(try await program.exit() == 0, "\(program.standardError)")
  }
}

@Suite(
  "Subscribers in other languages", .stage,
  .enabled(if: Consumer.isReady, "a language is missing: deploy/setup.sh test installs them"))
struct ConsumerTests {
  @Test(
    "The short ones in Python and C show the newest post, each change of it, and the same", arguments: Consumer.pythons)
  func short(python: String) async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let watch = try await Consumer.python(python, "watch.py", try map.publish)
    let binary = SystemFixture.current.path("watch")
    try await Consumer.run(
      try #require(Consumer.compiler), "-O2", "-Wall", "-o", binary, "\(Consumer.folder)/c/watch.c", "-lzmq")
    let other = try Consumer.program(binary, try map.publish)
    try watch.start()
    try other.start()
    for (number, place) in ["Oslo", "Lima"].enumerated() {
      let label = try #require(try await client.post(place, wait: 30)["label"])
      let line = "seq \(number + 1): \(number + 1) posts, newest: Ada Lovelace, \(label): https://example.org/ada\n"
      for subscriber in [watch, other] {
        try await eventually("\(subscriber.arguments) prints \(line)") { subscriber.standardOutput.hasSuffix(line) }
      }
    }
    let list = try await client.list()
    let ask = try await Consumer.python(python, "ask.py", try map.query)
    try ask.start()
    #expect(try await ask.exit() == 0, "\(ask.standardError)")
    let lines = list.entries.map { "\($0.seq) Ada Lovelace, \($0.label): \($0.link)\n" }
    #expect(lines.count == 2 && ask.standardOutput == lines.joined())
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

  private func lines(_ follower: Program) throws -> [Line] {
    let whole = follower.standardOutput.components(separatedBy: "\n").dropLast()
    return try whole.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
  }

  /// Posts something, and waits until the follower has ingest's list and says that it is right.
  private func expectFollowing(_ follower: Program, _ client: Client) async throws {
    try await client.expectService()
    let list = try await client.list()
    try await eventually("the follower has ingest's list") {
      let last = try lines(follower).last
      return last?.live == true && last?.epoch == list.epoch && last?.seq == list.seq
        && last?.stateHash == list.stateHash
    }
  }

  @Test(
    "The follower goes where a feed that ends sends it, leaves one that is silent, and says when ingest is",
    arguments: Consumer.pythons)
  func follower(python: String) async throws {
    let stage = SystemFixture.current
    let map = try await stage.roles(workers: 1)
    let first = try #require(map.feed)
    let changes = try map.ports.first { $0.name == "changes" }?.port ?? 0
    let second = try stage.program([
      "feed", "--ingest", "tcp://127.0.0.1:\(changes)", "--publish", "tcp://127.0.0.1:\(try Port.free())", "--query",
      "tcp://127.0.0.1:\(try Port.free())", "--http", "127.0.0.1:0", "--operations", "none", "--data", "none",
      "--alternates", try map.publish,
    ])
    try await second.startAndWait()
    let client = try await map.client.signedUp()
    let follower = try await Consumer.python(python, "follow.py", "--json", try #require(second.ready["feed"]))
    try follower.start()
    try await expectFollowing(follower, client)

    second.signal(SIGTERM)
    #expect(try await second.exit() == 0)
    try await eventually("it knows") { try lines(follower).contains { $0.kind == "lost" && !$0.live } }
    #expect(try lines(follower).last { $0.kind == "lost" }?.reason == "the feed ends: the feed is stopped")
    try await expectFollowing(follower, client)

    try await second.startAndWait()
    try await first.kill()
    try await eventually("it knows") { try lines(follower).contains { $0.reason == "the feed is silent" && !$0.live } }
    try await expectFollowing(follower, client)

    try await map.ingest.kill()
    try await eventually("it says that ingest is silent") {
      let last = try lines(follower).last
      return last?.kind == "stale" && last?.stale == true && last?.live == true
    }
    // Each loss brings a list. On a machine that stands still for 3 s a feed is silent once more.
    let told = try lines(follower)
    let losses = told.filter { $0.kind == "lost" }
    #expect(told.filter { $0.kind == "list" }.count == 1 + losses.count)
    #expect(losses.filter { $0.reason != "the feed is silent" }.count == 1)
  }

  @Test("The poller prints the list when it has changed, and only then")
  func poller() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let poller = try Consumer.program("\(Consumer.folder)/curl/latest.sh", try map.feedClient.base + "/v2/feed", "0.1")
    try poller.start()
    for seq in 1...2 {
      try await client.expectService()
      try await eventually("it has the post") { poller.standardOutput.contains("\"seq\":\(seq),") }
    }
    let lines = poller.standardOutput.split(separator: "\n")
    #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 != $1 }, "\(lines)")
    try #require(map.ingest.pid != nil)
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    try await eventually("it says that it hears nothing") { poller.standardError.contains("the list may be old") }
    poller.signal(SIGTERM)
    #expect(try await poller.exit() == 130)
  }

  @Test(
    "The streams tell each change, and go on behind the last one when the feed is back",
    arguments: ["node/stream.mjs", "curl/stream.sh"])
  func stream(script: String) async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let feed = try #require(map.feed)
    let client = try await map.client.signedUp()
    let url = try map.feedClient.base + "/v2/feed/stream"
    let path = "\(Consumer.folder)/\(script)"
    let stream = script.hasSuffix(".mjs") ? try Consumer.program("node", path, url) : try Consumer.program(path, url)
    func lines(_ seq: Int) -> [Substring] {
      stream.standardOutput.split(separator: "\n").filter { $0.contains("\"seq\":\(seq),") || $0.contains("seq \(seq): ") }
    }
    try stream.start()
    try await eventually("it has the empty list") { lines(0).count == 1 }
    try await client.expectService()
    try await eventually("it has the first post") { lines(1).count == 1 }
    #expect(lines(1)[0].contains("Costa Rica"))

    feed.signal(SIGTERM)
    #expect(try await feed.exit() == 0)
    try await eventually("it knows") { (stream.standardOutput + stream.standardError).contains("the list may be old") }
    try await feed.startAndWait()
    try await client.expectService()
    try await eventually("it has the second post") { lines(2).count == 1 }
    // Who says what was seen last is not told the list again.
    let hasSnapshot = ["snapshot", "the list,"].contains { lines(2)[0].contains($0) }
    #expect(lines(1).count == 1 && !hasSnapshot, "\(stream.standardOutput)")
    stream.signal(SIGTERM)
    _ = try await stream.exit()
  }

  @Test("The streams for Node have the feed's hash at each step, with a filter and without, over kill -9 of the feed")
  func killed() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let feed = try #require(map.feed)
    let client = try await map.client.signedUp()
    let queries = ["", "?country=NO,PE", "?box=-180,-60,-30,60"]
    let streams = try queries.map {
      try Consumer.program("node", "\(Consumer.folder)/node/stream.mjs", map.feedClient.base + "/v2/feed/stream" + $0)
    }
    for stream in streams { try stream.start() }
    // "seq 2: 1 posts, hash 62624d64e67dcbf8": each list that a stream has had.
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
    for stream in streams { try await eventually("it has the empty list") { !lists(stream).isEmpty } }
    let places = ["Oslo", "Lima", "Costa Rica", "Bergen, Norway", "Wellington, NZ", "Cusco, Peru"]
    for (index, place) in places.enumerated() {
      #expect(try await client.post(place, wait: 30)["state"] == "published")
      if index % 2 == 0 { try await feed.restart() }
    }
    try await expectSame()
    #expect(lists(streams[0]).last?.hasPrefix("seq 6: 6 posts") == true, "\(streams[0].standardOutput)")
    #expect(lists(streams[1]).last?.contains(": 4 posts") == true, "\(streams[1].standardOutput)")
    #expect(lists(streams[2]).last?.contains(": 3 posts") == true, "\(streams[2].standardOutput)")
    for stream in streams {
      #expect(!stream.standardOutput.contains("hash does not") && !stream.standardOutput.contains("hash is not"), "\(stream.standardOutput)")
      #expect(!stream.standardOutput.contains("an event is missing") && !stream.standardOutput.contains("refused"), "\(stream.standardOutput)")
      #expect(stream.standardOutput.contains("the list may be old"), "It has lost the feed, and come again.")
      stream.signal(SIGTERM)
      _ = try await stream.exit()
    }
  }

  @Test("The stream for Node ends where the feed refuses its filter, and says why")
  func refused() async throws {
    let map = try await SystemFixture.current.up()
    let stream = try Consumer.program(
      "node", "\(Consumer.folder)/node/stream.mjs", map.feedClient.base + "/v2/feed/stream?country=Norway")
    try stream.start()
    #expect(try await stream.exit() == 1)
    #expect(stream.standardOutput.hasPrefix("refused: country must be one to 32 codes of two letters"), "\(stream.standardOutput)")
  }
}
