import Foundation
import Testing

@Suite("Protocol document proto/README.md")
struct ProtocolTests {
  private let document = DeployFile("proto/README.md")
  private let protos = [
    "jobs/v1/jobs", "changes/v1/changes", "feed/v1/feed", "feed/v1/query", "submit/v1/submit",
    "gateway/v1/gateway", "admin/v1/admin",
  ].map {
    DeployFile("proto/onthemap/\($0).proto")
  }

  @Test("The protocol document lists every message, field number and enum value")
  func complete() {
    let text = document.text
    func rule(_ file: DeployFile) -> [String] {
      var prefix: String?
      var errors: [String] = []
      for line in file.lines where !line.hasPrefix("//") {
        let words = line.split { " ;={".contains($0) }
        guard words.count > 1 else { continue }
        if words[0] == "message" || words[0] == "enum" {
          prefix = words[0] == "enum" ? Self.prefix(of: words[1]) : nil
          if prefix == nil, !text.contains(words[1]) { errors.append("\(words[1]) is missing.") }
        } else if line.contains(" = "), let place = words.firstIndex(where: { Int($0) != nil }), place > 0 {
          let name = words[place - 1].dropFirst(prefix?.count ?? 0)
          let expected = prefix == nil ? "\(words[place]) `\(name)`" : "\(name) \(words[place])"
          if name != "UNSPECIFIED", !text.contains(expected) { errors.append("\(expected) is missing.") }
        }
      }
      return errors
    }
    enforce(
      protos, to: rule,
      bad: [
        "message Nowhere {}", "message Entry {\n  uint32 nowhere = 1;\n}", "message Entry {\n  uint64 seq = 99;\n}",
        "message A {\n  oneof a {\n    Hello hello = 77;\n  }\n}", "enum Match {\n  MATCH_EXACT = 9;\n}",
      ].map { DeployFile("a.proto", $0) })
  }

  /// The common prefix of an enum's values: "RESET_REASON_" of "ResetReason".
  private static func prefix(of name: Substring) -> String {
    name.reduce(into: "") { $0 += $1.isUppercase && !$0.isEmpty ? "_\($1)" : $1.uppercased() } + "_"
  }

  @Test("The protocol document names the ZAP domain of each link")
  func domains() {
    let links = DeployFile("Sources/Messaging/Transport/LinkName.swift").matches(of: "^  case ([a-z]+)$")
    #expect(links.count == 6)
    func rule(_ file: DeployFile) -> [String] {
      links.filter { !file.text.contains("`otm.\($0)`") }.map { "otm.\($0) is missing." }
    }
    enforce([document], to: rule, bad: links.map { document.with("`otm.\($0)`", replacedBy: "`otm.other`") })
  }

  @Test("The protocol document states the numbers of Limits")
  func limits() {
    let limits = DeployFile.limits
    let names = [
      "jobFrameBytesMax", "feedFrameBytesMax", "placeBytesMax", "linkBytesMax", "nameBytesMax", "windowMax",
      "sessionsMax", "attemptsMax", "leaseLossesMax", "leaseMs", "heartbeatMs", "backoffCapMs", "changesKept",
      "changesPerFetchMax", "fetchWaitMs", "feedsMax", "snapshotIntervalMinMs", "feedHeartbeatMs", "feedEntriesMax",
      "feedFramesQueuedMax", "joinsPerSecondMax", "joinsWaitingMax", "joinNonceBytesMax", "candidatesMax",
      "attributionBytesMax", "countyBytesMax", "curveHandshakeBytesMax", "handshakePauseCapMs", "postcodeBytesMax",
      "providerBytesMax",
      "adminPostsMax", "adminRequestBytesMax", "adminReplyBytesMax", "adminRequestsMax", "postEventsMax",
      "postEventsShownMax", "deadReasonsMax", "commitTimesKept",
      "submitPostsMax", "submitFrameBytesMax", "submitRequestsOfConnectionMax", "submitRequestsMax", "submitRetryMs",
      "sessionTokenBytes", "idempotencyKeyBytesMax", "queueDepthMax", "streamsMax", "streamHeartbeatMs",
      "feedChangesKept", "gatewayHoldMs", "gatewayHelloMs", "gatewayRetryMs", "gatewayPostsMax", "gatewayRequestsMax",
      "gatewayBytesMax", "gatewayResponseBytesMax",
    ]
    func rule(_ file: DeployFile) -> [String] {
      names.compactMap { name in
        guard let digits = limits.matches(of: #"let \#(name)(?:: Int64)? = ([\d_]+)$"#).first else {
          return "Limits.\(name) is missing, or no number."
        }
        let shown = digits.replacingOccurrences(of: "_", with: ",")
        let isShown = !file.matches(of: #"(?<![\d,])\#(shown)(?![\d]|,\d)"#).isEmpty
        return isShown ? nil : "Limits.\(name) is \(shown), which the document does not state."
      }
    }
    enforce(
      [document], to: rule,
      bad: ["65,536", "327,680", "10,000", "4,096", "250 ms"].map { document.with($0, replacedBy: "7") })
  }

  @Test("Each row of the protocol document's constants has the name and value of a limit")
  func constants() {
    let limits = DeployFile.limits
    func error(_ row: DeployFile) -> String? {
      guard let name = row.matches(of: #"`(\w+)`"#).first, let value = row.matches(of: #"` \| ([\d,]+)"#).first else {
        return "\(row.text) has no name or value."
      }
      guard !limits.matches(of: #"let (\#(name))\b"#).isEmpty else { return "Limits has no \(name)." }
      // A constant without digits is computed from others.
      guard let digits = limits.matches(of: #"let \#(name)(?:: Int64)? = ([\d_]+)$"#).first else { return nil }
      let shown = digits.replacingOccurrences(of: "_", with: ",")
      return shown == value ? nil : "Limits.\(name) is \(shown), not \(value)."
    }
    func rule(_ file: DeployFile) -> [String] {
      let rows = file.matches(of: #"^(\| `\w+` \| [\d,]+(?: ms| days| bytes)? \| .*)$"#).map { DeployFile("row", $0) }
      return rows.count < 50 ? ["It has only \(rows.count) constants."] : rows.compactMap(error)
    }
    enforce(
      [document], to: rule,
      bad: [
        document.with("| `windowMax` | 64 |", replacedBy: "| `windowMax` | 65 |"),
        document.with("| `heartbeatMs` |", replacedBy: "| `pulseMs` |"), DeployFile("README.md", "no table"),
      ])
  }

  @Test("Each conformance rule refers to a heading of the protocol document")
  func references() {
    let headings = Set(document.matches(of: "^#+ (.+)$"))
    let rules = ["Worker", "Producer", "Feed"].map { DeployFile("Sources/Conformance/\($0)/\($0)Rule.swift") }
    func rule(_ file: DeployFile) -> [String] {
      let references = file.matches(of: #""([A-Z][A-Za-z ]*)(?:, \d)?"\s*\)?$"#)
      let missing = references.filter { !headings.contains($0) }.map { "\($0) is no heading." }
      return references.isEmpty ? ["It has no reference."] : missing
    }
    enforce(
      rules, to: rule,
      bad: [DeployFile("A.swift", #"    case .a: ("a", "Nowhere, 1")"#), DeployFile("B.swift", "no reference")])
  }

  @Test(
    "The protocol document's Python example sends only to the server with the right key",
    .enabled(
      if: Program.venvPython != nil && Program.onthemap != nil, ".venv or the program is missing: make tests makes both"
    ))
  func keys() throws {
    let python = try #require(Program.venvPython)
    let program = try #require(Program.onthemap)
    func rule(_ file: DeployFile) throws -> [String] {
      let lines = file.text.components(separatedBy: "```python\n").last?.components(separatedBy: "\n```")[0] ?? ""
      return try Deployment.withFolder { folder in
        let result = try program.run("keys", "new", "--output", "worker.key", at: folder)
        try Data(lines.utf8).write(to: folder.appending(path: "client.py"))
        try Data(Self.server.utf8).write(to: folder.appending(path: "server.py"))
        let key = result.output.trimmingCharacters(in: .newlines)
        let (status, output) = try python.run("server.py", key, at: folder)
        return status == 0 && output == "received\n" ? [] : ["it printed: \(output)"]
      }
    }
    try enforce(
      [document], to: rule,
      bad: [
        document.with("zmq.curve_public(", replacedBy: "("), document.with("socket.connect(", replacedBy: "print("),
        document.with("zmq.curve_public(secret)", replacedBy: "zmq.curve_keypair()[0]"),
      ])
  }

  /// A ROUTER that authorizes only the key of its argument, and then runs the document's lines.
  private static let server = """
    import sys

    import zmq
    import zmq.utils.z85

    context = zmq.Context()
    authenticator = context.socket(zmq.REP)
    authenticator.bind("inproc://zeromq.zap.01")
    router = context.socket(zmq.ROUTER)
    public, secret = zmq.curve_keypair()
    router.curve_server, router.curve_secretkey, router.zap_domain = True, secret, b"otm.jobs"
    port = router.bind_to_random_port("tcp://127.0.0.1")
    lines = open("client.py").read().replace("tcp://10.0.0.1:7701", f"tcp://127.0.0.1:{port}")
    try:
        exec(lines.replace("S7E5Lqp{<KF[i2])JQuxM7Mufs6Jp/:dyitFHqA-", public.decode()))
        socket.send(b"hi", zmq.NOBLOCK)
        if authenticator.poll(3_000):
            version, number, domain, _, _, mechanism, key = authenticator.recv_multipart()
            fits = domain == b"otm.jobs" and mechanism == b"CURVE" and zmq.utils.z85.encode(key).decode() == sys.argv[1]
            authenticator.send_multipart([version, number, b"200" if fits else b"400", b"", b"", b""])
            if router.poll(3_000) and router.recv_multipart()[1] == b"hi":
                print("received")
    finally:
        context.destroy(linger=0)
        zmq.Context.instance().destroy(linger=0)
    """

  @Test("The protocol document's example hashes are correct")
  func hashes() {
    func rule(_ file: DeployFile) -> [String] {
      let rows = file.matches(of: #"^(\| (?:empty|`\w{10}` seq \d+).*)$"#).map { DeployFile("row", $0) }
      let wrong = rows.filter { row in
        let ids = row.matches(of: #"`(\w{10})` seq"#)
        let seqs = row.matches(of: #"seq (\d+)"#).compactMap { UInt64($0) }
        let shown = row.matches(of: "0x([0-9a-f]{16})").first.flatMap { UInt64($0, radix: 16) }
        return shown != Self.hash(Array(zip(ids, seqs)))
      }
      return rows.count == 3 ? wrong.map { "wrong: \($0.text)" } : ["it must have three examples."]
    }
    enforce(
      [document], to: rule,
      bad: [
        document.with("0x423649d5fc0b86ee", replacedBy: "0x423649d5fc0b86ef"),
        document.with("seq 1027", replacedBy: "seq 1028"),
      ])
  }

  /// The hash that the document specifies, implemented independently: FNV-1a over ids and little-endian numbers.
  private static func hash(_ list: [(id: String, seq: UInt64)]) -> UInt64 {
    var hash: UInt64 = 14_695_981_039_346_656_037
    for (id, seq) in list {
      let number = withUnsafeBytes(of: seq.littleEndian) { Array($0) }
      for byte in Array(id.utf8) + number { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
    }
    return hash
  }
}
