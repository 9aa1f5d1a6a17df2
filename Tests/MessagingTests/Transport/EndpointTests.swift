import Testing

@testable import Domain
@testable import Messaging

@Suite("Endpoints and topics")
struct EndpointTests {
  @Test(
    "An endpoint is a TCP address or a path",
    arguments: [
      ("tcp://127.0.0.1:7701", "tcp://127.0.0.1:7701"), ("tcp://*:7701", "tcp://*:7701"),
      ("tcp://ingest.internal:1", "tcp://ingest.internal:1"), ("tcp://[::1]:65535", "tcp://[::1]:65535"),
      ("tcp://127.0.0.1:*", "tcp://127.0.0.1:*"), ("tcp://127.0.0.1:0", "tcp://127.0.0.1:*"),
      ("ipc:///run/onthemap/jobs", "ipc:///run/onthemap/jobs"), ("ipc://@abstract", "ipc://@abstract"),
    ])
  func accepted(text: String, description: String) throws {
    #expect(try Endpoint(text).description == description)
  }

  @Test(
    "The next endpoint is the next port, the path with .query, or any free port",
    arguments: [
      ("tcp://127.0.0.1:7710", "tcp://127.0.0.1:7711"), ("tcp://[::1]:65534", "tcp://[::1]:65535"),
      ("tcp://[::1]:65535", nil), ("tcp://127.0.0.1:*", "tcp://127.0.0.1:*"),
      ("ipc:///run/feed", "ipc:///run/feed.query"),
    ])
  func next(text: String, next: String?) throws { #expect(try Endpoint(text).next?.description == next) }

  @Test(
    "A malformed endpoint is refused with the text and the expected form",
    arguments: [
      "", "tcp://", "tcp://:7701", "tcp://host", "tcp://host:", "tcp://host:x", "tcp://host:65536", "tcp://host:-1",
      "tcp://host:+80", "tcp://host/:80", "tcp://ho/st:80", "TCP://host:80", "udp://host:80", "inproc://x", "host:80",
      "http://host:80", "ipc://", "7701", "tcp:host:80", "pgm://eth0;239.0.0.1:7",
    ])
  func refused(text: String) {
    let error = #expect(throws: LinkError.self) { try Endpoint(text) }
    #expect(error?.description.contains("\"\(text)\"") == true)
    #expect(error?.description.contains("tcp://HOST:PORT") == true)
  }

  @Test(
    "An endpoint is local only if it is a path or a loopback address",
    arguments: [
      ("tcp://127.0.0.1:7701", true), ("tcp://127.9.8.7:*", true), ("tcp://[::1]:7701", true),
      ("tcp://localhost:7701", true), ("tcp://LOCALHOST:7701", true), ("tcp://lo:7701", true),
      ("tcp://[::ffff:127.0.0.1]:1", true), ("ipc:///run/jobs", true), ("ipc://@abstract", true),
      ("tcp://*:7701", false), ("tcp://0.0.0.0:7701", false), ("tcp://[::]:7701", false), ("tcp://eth0:7701", false),
      ("tcp://10.0.0.1:7701", false), ("tcp://127.0.0.1.example.org:1", false), ("tcp://127.example.org:1", false),
      ("tcp://localhost.example.org:1", false), ("tcp://[::2]:1", false), ("tcp://[::ffff:10.0.0.1]:1", false),
    ])
  func local(text: String, isLocal: Bool) throws {
    #expect(try Endpoint(text).isLocal == isLocal)
  }

  @Test("A path longer than the kernel allows is refused")
  func pathLength() throws {
    _ = try Endpoint("ipc://" + String(repeating: "x", count: 101))
    #expect(throws: LinkError.self) { try Endpoint("ipc://" + String(repeating: "x", count: 102)) }
  }

  @Test(
    "The connectable form of a wildcard is this host",
    arguments: [
      ("tcp://*:7701", "tcp://127.0.0.1:7701"), ("tcp://0.0.0.0:7701", "tcp://127.0.0.1:7701"),
      ("tcp://[::]:7701", "tcp://127.0.0.1:7701"), ("tcp://10.0.0.1:7701", "tcp://10.0.0.1:7701"),
      ("ipc:///x", "ipc:///x"),
    ])
  func connectable(text: String, connected: String) throws {
    #expect(try Endpoint(text).connectable.description == connected)
  }

  @Test("No topic is a prefix of another")
  func prefixes() {
    let topics = [Topic.snapshot, Topic.delta, Topic.heartbeat, Topic.join("a"), Topic.join("ab"), Topic.join("b")]
    for topic in topics {
      #expect(topic.hasPrefix("otm.feed/1/main/"))
      #expect(topic.hasSuffix("/"))
      #expect(topics.filter { $0.hasPrefix(topic) } == [topic])
    }
  }

  @Test("Nonces are distinct, 20 characters long and valid in a join topic")
  func nonces() {
    let nonces = (0..<1_000).map { _ in Topic.nonce() }
    #expect(Set(nonces).count == 1_000)
    #expect(nonces.allSatisfy { Topic.join(in: Topic.join($0).utf8.map { $0 }) == Array(Topic.join($0).utf8) })
    #expect(nonces.allSatisfy { $0.utf8.count == 20 })
  }

  @Test("A join topic without a nonce of 1 to 40 letters and digits is refused")
  func joins() {
    func isJoin(_ topic: String) -> Bool { Topic.join(in: Array(topic.utf8)) != nil }
    let prefix = "otm.feed/1/main/j/"
    #expect(isJoin(prefix + "a/"))
    #expect(isJoin(prefix + String(repeating: "Z", count: 40) + "/"))
    #expect(isJoin(prefix + "09azAZ/"))
    for nonce in ["", String(repeating: "Z", count: 41), "a/b", "a-b", "a b", "é", "\u{0}", "../", "*"] {
      #expect(!isJoin(prefix + nonce + "/"), "\(nonce)")
    }
    for topic in [
      "", prefix, prefix + "abc", "otm.feed/2/main/j/abc/", "otm.feed/1/other/j/abc/", "otm.feed/1/main/s/",
      "xotm.feed/1/main/j/abc/", "otm.feed/1/main/j",
    ] {
      #expect(!isJoin(topic), "\(topic)")
    }
  }
}
