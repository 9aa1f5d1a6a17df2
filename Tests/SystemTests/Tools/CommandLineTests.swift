import Foundation
import Testing

@Suite("Command line", .fixture)
struct CommandLineTests {
  @Test(
    "An invalid value is refused at start with its option, the expected form and the value",
    arguments: [
      (["up", "--http", "8080"], ["--http", "HOST:PORT", "8080"]),
      (["up", "--http", "127.0.0.1:99999"], ["--http", "HOST:PORT", "99999"]),
      (
        ["feed", "--http", "nosuch.invalid:8081", "--publish", "tcp://127.0.0.1:*"],
        ["--http (", "nosuch.invalid", "unknown host"]
      ),
      (["up", "--feed-http", "127.0.0.1:"], ["--feed-http", "HOST:PORT"]),
      (["up", "--jobs", "127.0.0.1:7701"], ["--jobs", "tcp://", "127.0.0.1:7701"]),
      (["up", "--jobs", "tcp://127.0.0.1:x"], ["--jobs", "tcp://", ":x"]),
      (["up", "--jobs", "udp://127.0.0.1:1"], ["--jobs", "tcp://", "udp"]),
      (["up", "--jobs", "tcp://127.0.0.1:70000"], ["--jobs", "tcp://", "70000"]),
      (["up", "--publish", "nonsense"], ["--publish", "nonsense"]),
      (["up", "--workers", "0"], ["--workers", "1 to 64", "\"0\""]),
      (["up", "--workers", "65"], ["--workers", "1 to 64", "65"]),
      (["up", "--workers", "abc"], ["--workers", "1 to 64", "abc"]),
      (["up", "--log-level", "loud"], ["--log-level", "debug", "loud"]),
      (["up", "--public-url", "example.org"], ["--public-url", "https://", "example.org"]),
      (["up", "--public-url", "https://example.org/"], ["--public-url", "without a path"]),
      (["up", "--public-url", "https://"], ["--public-url", "without a path"]),
      (["up", "--gazetteer", "/no/such.otm"], ["--gazetteer", "/no/such.otm"]),
      (["up", "--nonsense"], ["--nonsense"]), (["nonsense"], ["nonsense"]), (["up", "nonsense"], ["nonsense"]),
      (["ingest", "--http", "x"], ["--http", "HOST:PORT"]), (["ingest", "--jobs", "x"], ["--jobs", "tcp://"]),
      (["worker", "--ingest", "x"], ["--ingest", "tcp://"]),
      (["worker", "--ingest", "tcp://a:1,"], ["--ingest", "ONTHEMAP_WORKER_INGEST", "empty address"]),
      (["feed", "--ingest", "tcp://a:1,tcp://a:1"], ["--ingest", "ONTHEMAP_FEED_INGEST", "tcp://a:1 twice"]),
      (["watch", "--feed", feedAddresses(9)], ["--feed", "ONTHEMAP_FEED", "at most 8 addresses"]),
      (["worker", "--concurrency", "33"], ["--concurrency", "1 to 32", "33"]),
      (["worker", "--name", ""], ["--name", "1 to 64"]), (["worker", "--name", "a\nb"], ["--name", "control"]),
      (["feed", "--publish", "x"], ["--publish", "tcp://"]), (["feed", "--http", "x"], ["--http", "HOST:PORT"]),
      (
        ["feed", "--failover-feeds", feedAddresses(9)],
        ["--failover-feeds", "at most 8 addresses", "tcp://10.0.0.1:7710"]
      ),
      (["up", "--failover-feeds", feedAddresses(9)], ["--failover-feeds", "at most 8 addresses"]),
      (["feed", "--failover-feeds", "tcp://10.0.0.1:7710,x"], ["--failover-feeds", "tcp://", "\"x\""]),
      (["watch", "--feed", "x"], ["--feed", "tcp://"]), (["watch", "--count", "0"], ["--count", "0"]),
      (["geocode", "--limit", "21", "Oslo"], ["--limit", "1 to 20", "21"]),
      (["geocode", "--country", "USA", "Oslo"], ["--country", "USA"]),
      (["post", "--place", "Oslo", "--link", "example.org", "--server", "x"], ["--server", "http://", "\"x\""]),
      (["post", "--place", "Oslo", "--link", "example.org"], ["--user", "ONTHEMAP_USER"]),
      (["conformance", "worker", "--connect-timeout", "0"], ["--connect-timeout", "1 to 600", "0"]),
      (["conformance", "worker", "--connect-timeout", "601"], ["--connect-timeout", "1 to 600", "601"]),
      (["conformance", "worker", "--query", ""], ["--query", "1 to 256"]),
      (["conformance", "worker", "--jobs", "x"], ["--jobs"]),
      (["health", "nonsense"], ["nonsense"]), (["ingest", "--submit", "x"], ["--submit", "tcp://"]),
      (["load", "--rate", "1", "--duration", "1", "--submit", "x"], ["--submit", "tcp://", "\"x\""]),
      (["load", "--rate", "1", "--duration", "1", "--server", "http://h,x"], ["--server", "http://", "\"x\""]),
      (
        ["load", "--rate", "1", "--duration", "1", "--submit", "tcp://a:1,tcp://a:1"], ["--submit", "tcp://a:1 twice"]
      ),
      (["load", "--rate", "1", "--duration", "1", "--batch", "64"], ["--batch", "--submit"]),
      (
        ["load", "--rate", "1", "--duration", "1", "--submit", "tcp://h:1", "--batch", "257"],
        ["--batch", "1 to 256", "257"]
      ),
      (
        ["load", "--rate", "1", "--duration", "1", "--submit", "tcp://h:1", "--connections", "65"],
        ["--connections", "1 to 64", "65"]
      ),
    ])
  func wrong(arguments: [String], words: [String]) async throws {
    let (status, output, log) = try await SystemFixture.current.run(arguments)
    #expect(status > 0 && output.isEmpty)
    for word in words { #expect(log.contains(word)) }
  }

  @Test("`config` and the service itself end with status 78 for an invalid setting, and `config` starts no service")
  func invalidSettings() async throws {
    let fixture = SystemFixture.current
    for command in [["config", "up"], ["up"]] {
      let (status, output, log) = try await fixture.run(command + ["--data", fixture.path("data"), "--workers", "0"])
      #expect(status == 78 && output.isEmpty && log.contains("1 to 64"), "\(command): \(log)")
    }
    let (status, output, _) = try await fixture.run(
      "config", "ingest", "--data", fixture.path("data"), environment: ["ONTHEMAP_HTTP": "127.0.0.1:1"])
    #expect(status == 0 && output.contains(#/ONTHEMAP_HTTP +127.0.0.1:1 +environment/#))
    #expect(!FileManager.default.fileExists(atPath: fixture.path("data")))
    let addresses = "tcp://10.0.0.1:7702,tcp://10.0.0.9:7702"
    let (listed, list, _) = try await fixture.run("config", "feed", environment: ["ONTHEMAP_FEED_INGEST": addresses])
    #expect(listed == 0 && list.contains("ONTHEMAP_FEED_INGEST") && list.contains(addresses))
    let file = fixture.path("not-a-gazetteer")
    try Data(count: 100).write(to: URL(fileURLWithPath: file))
    let damaged = try await fixture.run("config", "worker", "--gazetteer", file, environment: ["ONTHEMAP_CONFIG": ""])
    #expect(damaged.status == 78 && damaged.log.contains(file), "\(damaged.log)")
  }

  @Test("An unknown setting is refused with a suggestion, in the environment and in a file")
  func unknownNames() async throws {
    let fixture = SystemFixture.current
    let (status, _, log) = try await fixture.run("up", environment: ["ONTHEMAP_WORKRS": "2"])
    #expect(status > 0 && log.contains("ONTHEMAP_WORKRS") && log.contains("Did you mean ONTHEMAP_WORKERS?"))

    for (text, words) in [
      ("ONTHEMAP_JBOS=tcp://127.0.0.1:1\n", ["ONTHEMAP_JBOS", "ONTHEMAP_JOBS?"]),
      ("# fine\nONTHEMAP_WORKERS 3\n", ["ONTHEMAP_WORKERS 3", "NAME=value"]),
      ("ONTHEMAP_WORKERS=many\n", ["ONTHEMAP_WORKERS", "1 to 64", "many"]),
    ] {
      let file = fixture.path("settings")
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      let (status, _, log) = try await fixture.run("up", "--config", file)
      #expect(status > 0)
      for word in words { #expect(log.contains(word)) }
    }
    let (missing, _, missingLog) = try await fixture.run("up", "--config", fixture.path("nowhere"))
    #expect(missing > 0 && missingLog.contains("--config") && missingLog.contains("nowhere"))
  }

  @Test("Flags override the environment, which overrides the file, which overrides defaults")
  func precedence() async throws {
    let fixture = SystemFixture.current
    let file = fixture.path("settings")
    let text = """
      # A comment, and an empty line.

      ONTHEMAP_HTTP=127.0.0.1:1
      ONTHEMAP_JOBS=tcp://127.0.0.1:1
      ONTHEMAP_CHANGES=tcp://127.0.0.1:*
      ONTHEMAP_DATA=\(fixture.path("data"))
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    let ingest = try fixture.program(
      ["ingest", "--http", "127.0.0.1:0", "--submit", "tcp://127.0.0.1:*"],
      environment: [
        "ONTHEMAP_CONFIG": file, "ONTHEMAP_HTTP": "127.0.0.1:2", "ONTHEMAP_JOBS": "tcp://127.0.0.1:*",
        "ONTHEMAP_LOG_LEVEL": "debug", "ONTHEMAP_PASSWORD": "secret in the environment",
      ])
    try await ingest.startAndWait()
    let line = try #require(ingest.standardError.split(separator: "\n").first { $0.contains("configuration loaded") })
    for setting in [
      "ONTHEMAP_HTTP=127.0.0.1:0", "ONTHEMAP_JOBS=tcp://127.0.0.1:*", "ONTHEMAP_CHANGES=tcp://127.0.0.1:*",
      "ONTHEMAP_DATA=\(fixture.path("data"))", "ONTHEMAP_CONFIG=\(file)", "ONTHEMAP_LOG_LEVEL=debug",
      "ONTHEMAP_PUBLIC_URL=",
    ] { #expect(line.contains(setting)) }
    #expect(!ingest.standardError.contains("secret in the environment"))
  }

  @Test(
    "An ingest with a port in use names its option and exits",
    arguments: ["--http", "--jobs", "--changes", "--submit"])
  func ingestPortInUse(option: String) async throws {
    let port = try Port.free()
    let listener = try Listener(port: port)
    var options = [
      "--http": "127.0.0.1:0", "--jobs": "tcp://127.0.0.1:*", "--changes": "tcp://127.0.0.1:*",
      "--submit": "tcp://127.0.0.1:*",
    ]
    options[option] = (option == "--http" ? "" : "tcp://") + "127.0.0.1:\(port)"
    let arguments = ["ingest", "--data", SystemFixture.current.path("data")] + options.flatMap { [$0, $1] }
    let (status, output, log) = try await SystemFixture.current.run(arguments)
    withExtendedLifetime(listener) {}
    #expect(status > 0 && output.isEmpty)
    #expect(log.contains("Error: \(option) (ONTHEMAP_") && log.lowercased().contains("in use"))
    #expect(log.contains("\(port)") && !log.contains(" error ") && !log.contains("Fatal error"))
  }

  @Test("A feed with a port in use names its option and exits", arguments: ["--http", "--publish"])
  func feedPortInUse(option: String) async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let port = try Port.free()
    let listener = try Listener(port: port)
    var options = [
      "--http": "127.0.0.1:0", "--publish": "tcp://127.0.0.1:*", "--ingest": map.ingest.ready["changes"] ?? "",
    ]
    options[option] = (option == "--http" ? "" : "tcp://") + "127.0.0.1:\(port)"
    let (status, output, log) = try await SystemFixture.current.run(
      ["feed"] + options.flatMap { [$0, $1] } + ["--data", "none"])
    withExtendedLifetime(listener) {}
    #expect(status > 0 && output.isEmpty)
    #expect(log.contains("Error: \(option) (ONTHEMAP_") && log.lowercased().contains("in use"))
    #expect(log.contains("\(port)") && !log.contains(" error "))
  }

  /// Returns the addresses of `count` feeds.
  private static func feedAddresses(_ count: Int) -> String {
    (1...count).map { "tcp://10.0.0.\($0):7710" }.joined(separator: ",")
  }

  @Test("A feed accepts eight failover feeds")
  func failoverFeeds() async throws {
    let fixture = SystemFixture.current
    let map = try await fixture.roles(workers: 0)
    let feed = try fixture.program([
      "feed", "--ingest", map.ingest.ready["changes"] ?? "", "--publish", "tcp://127.0.0.1:*", "--query",
      "tcp://127.0.0.1:*", "--http", "127.0.0.1:0", "--operations", "none", "--data", "none", "--failover-feeds",
      Self.feedAddresses(8),
    ])
    try await feed.startAndWait()
    #expect(feed.standardError.contains("ONTHEMAP_FAILOVER_FEEDS=\(Self.feedAddresses(8))"))
    feed.signal(SIGTERM)
    #expect(try await feed.exit() == 0)
  }

  @Test("A second ingest on the same data is refused, and the first continues")
  func secondIngest() async throws {
    let map = try await SystemFixture.current.up()
    let (status, output, log) = try await SystemFixture.current.run(
      "ingest", "--data", SystemFixture.current.path("data"), "--http", "127.0.0.1:0", "--jobs", "tcp://127.0.0.1:*",
      "--changes", "tcp://127.0.0.1:*", "--submit", "tcp://127.0.0.1:*")
    #expect(status > 0 && output.isEmpty)
    #expect(log.contains("in use by another onthemap process") && log.contains("--data"))
    try await map.client.signedUp().expectService()
  }

  @Test("The error about an unusable data folder names the folder")
  func badFolder() async throws {
    let file = SystemFixture.current.path("a-file")
    try Data("x".utf8).write(to: URL(fileURLWithPath: file))
    for folder in [file, file + "/below", "/proc/nothing"] {
      let (status, output, log) = try await SystemFixture.current.run(
        "ingest", "--data", folder, "--http", "127.0.0.1:0", "--jobs", "tcp://127.0.0.1:*", "--changes",
        "tcp://127.0.0.1:*", "--submit", "tcp://127.0.0.1:*")
      #expect(status > 0 && output.isEmpty && log.contains(folder))
    }
  }

  @Test("Every command that needs a gazetteer names a missing or damaged file")
  func gazetteer() async throws {
    let fixture = SystemFixture.current
    let whole = Program.binary.deletingLastPathComponent().appending(path: "gazetteer.otm")
    let start = try #require(try FileHandle(forReadingFrom: whole).read(upToCount: 1_000_000))
    for (name, content) in [("foreign", Data("no gazetteer".utf8)), ("empty", Data()), ("cut", start)] {
      try content.write(to: URL(fileURLWithPath: fixture.path(name)))
    }
    for name in ["foreign", "empty", "cut", "missing"] {
      let file = fixture.path(name)
      for arguments in [
        ["geocode", "Oslo"], ["worker", "--ingest", "tcp://127.0.0.1:\(try Port.free())"],
        [
          "up", "--data", fixture.path("data"), "--http", "127.0.0.1:0", "--feed-http", "127.0.0.1:0", "--jobs",
          "tcp://127.0.0.1:*", "--changes", "tcp://127.0.0.1:*", "--publish", "tcp://127.0.0.1:*",
          "--submit", "tcp://127.0.0.1:*",
        ],
      ] {
        let (status, output, log) = try await fixture.run(arguments + ["--gazetteer", file])
        #expect(status > 0 && output.isEmpty && log.contains(file), "\(arguments[0]) \(name)")
      }
    }
  }

  @Test(
    "No program ends by a signal if its log or output cannot be written",
    arguments: ["2>/dev/full", ">/dev/full", "2>&1 | true"])
  func fullDisk(redirection: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", "\"$0\" geocode Oslo --log-level debug \(redirection); s=$?; [ $s -lt 128 ]", Program.binary.path,
    ]
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ONTHEMAP_") }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
