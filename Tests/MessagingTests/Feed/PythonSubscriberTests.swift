import Foundation
import Fuzzing
import Testing

@testable import Domain
@testable import Messaging

private enum Python {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let examples = root.appending(path: "deploy/examples/python").path
  /// Python with packages of PyPI, and Python with packages of Debian.
  static let all = [root.appending(path: ".venv/bin/python").path, "/usr/bin/python3"]
  static let isReady = all.allSatisfy { (try? run($0, "-c", "import zmq, google.protobuf").status) == 0 }

  static func run(
    _ path: String, _ arguments: String..., folder: String = ""
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["PYTHONPATH": "\(folder):\(examples)", "PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    // Protobuf writes a warning to standard error for each string that is not UTF-8.
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}

/// Compares deploy/examples/python/subscriber.py with `FeedReplica`. Both get the same frames at the same times. After
/// each frame they must have the same list, state and events.
@Suite(
  "Python subscriber",
  .enabled(if: Python.isReady, "Python packages are missing: run deploy/setup.sh test"))
struct PythonSubscriberTests {
  /// Passes the frame of each line to the subscriber, and prints its state.
  private static let driver = """
    import base64
    import sys

    from subscriber import Subscriber

    subscriber = None
    for line in open(sys.argv[1]):
        now_ms, frame = line.rstrip("\\n").split(" ")
        now = int(now_ms) / 1_000
        if frame == "begin":
            subscriber = Subscriber(["tcp://127.0.0.1:1"], now)
            continue
        events = subscriber.tick(now)
        events += subscriber.receive([b"topic", base64.b64decode(frame)], now)
        kinds = ",".join(f"{kind}={str(detail).lower()}" if kind == "stale" else kind for kind, detail in events)
        count = len(subscriber.posts)
        print(subscriber.live, subscriber.epoch.hex(), subscriber.seq, f"{subscriber.hash:016x}", count, kinds, sep=" ")
    """

  @Test("The Python subscriber has the list and state of FeedReplica after each of 3,600 frames", arguments: Python.all)
  func same(python: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-subscriber-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let protoc = try Python.run(
      "/usr/bin/env", "protoc", "-I", Python.root.appending(path: "proto").path, "--python_out=\(folder.path)",
      "onthemap/feed/v1/feed.proto")
    try #require(protoc.status == 0, "\(protoc.output)")
    var (frames, expected): ([String], [String]) = ([], [])
    var eventKinds: Set<String> = []
    for seed in 1...(12 as UInt64) {
      var broadcast = Broadcast(seed: seed)
      frames.append("0 begin")
      var (replica, nowMs) = (FeedReplica(nowMs: 0), Int64(0))
      for _ in 0..<300 {
        nowMs += broadcast.pauseMs
        let frame = broadcast.next(isListWanted: !replica.isLive)
        frames.append("\(nowMs) " + Data(frame).base64EncodedString())
        let kinds = replica.kinds(after: frame, nowMs: nowMs)
        eventKinds.formUnion(kinds)
        expected.append(replica.line(kinds))
      }
    }
    // The frames must cause every kind of event.
    try #require(eventKinds == ["snapshot", "delta", "resync", "stale=true", "stale=false"])
    let trace = folder.appending(path: "frames").path
    try Data((frames.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: trace))
    let (status, output) = try Python.run(python, "-c", Self.driver, trace, folder: folder.path)
    try #require(status == 0, "\(output.suffix(2_000))")
    let lines = output.split(separator: "\n").map(String.init)
    try #require(lines.count == expected.count)
    for index in expected.indices {
      try #require(lines[index] == expected[index], "line \(index + 1)")
    }
  }
}

extension FeedReplica {
  /// Returns the kinds of the events that a tick and then this frame cause.
  fileprivate mutating func kinds(after bytes: [UInt8], nowMs: Int64) -> [String] {
    var kinds: [String] = []
    let wasLive = isLive
    if hasTimedOut(nowMs: nowMs) {
      if wasLive { kinds.append("resync") }
      reconnected(nowMs: nowMs)
    }
    guard let frame = FeedFrame.read(bytes) else { return kinds }
    switch receive(frame, nowMs: nowMs) {
    case .replaced: kinds += ["snapshot"] + (isFeedStale ? ["stale=true"] : [])
    case .changed: kinds.append("delta")
    case .staleness(let isStale): kinds.append("stale=\(isStale)")
    case .unchanged: break
    case .resync: kinds.append("resync")
    }
    return kinds
  }

  fileprivate func line(_ kinds: [String]) -> String {
    let state = state ?? FeedState(epoch: .filled(with: 0), seq: 0, entries: [])
    let epoch = self.state == nil ? "" : state.epoch.description
    let hash = String(state.hash, radix: 16)
    let padded = String(repeating: "0", count: 16 - hash.count) + hash
    return [
      isLive ? "True" : "False", epoch, "\(state.seq)", padded, "\(state.entries.count)", kinds.joined(separator: ","),
    ].joined(separator: " ")
  }
}

/// A feed with random changes on a link that loses, repeats, delays and damages frames.
private struct Broadcast {
  private var random: SeededRandom
  /// All published posts, newest first. The list holds only the first 100.
  private var posts: [FeedEntry] = []
  private var state: FeedState
  private var sent: [[UInt8]] = []
  private var seq: UInt64 = 0
  private var isStale = false
  private var heartbeats: [[UInt8]] = []
  /// Old heartbeats still to repeat, as a regressed feed sends them.
  private var repeatedHeartbeats: [[UInt8]] = []

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    state = FeedState(epoch: .filled(with: UInt8(seed)), seq: 0, entries: [])
    // Start near the capacity of the list.
    for _ in 0..<(90 + random.below(30)) {
      let change = upsert()
      state.apply([change])
    }
  }

  /// The pause before the next frame, a multiple of 7 ms. No sum of pauses equals the timeout, at which integers and
  /// floats could differ.
  var pauseMs: Int64 { mutating get { random.happens(2) ? 3_500 : random.one(of: [14, 203, 910]) } }

  /// Returns the next frame that arrives.
  ///
  /// - Parameter isListWanted: True if the subscriber waits for a list.
  mutating func next(isListWanted: Bool) -> [UInt8] {
    if let frame = repeatedHeartbeats.popLast() { return frame }
    if !heartbeats.isEmpty, random.happens(2) {
      repeatedHeartbeats = Array(repeating: random.one(of: heartbeats), count: 2 + random.below(3))
    }
    if !sent.isEmpty, random.happens(8) { return random.one(of: sent) }
    if random.happens(2) { isStale.toggle() }
    if random.happens(1) {
      state = FeedState(epoch: .filled(with: random.byte()), seq: state.seq, entries: state.entries)
    }
    let body = isListWanted && random.happens(50) ? .snapshot(.join) : self.body()
    var frame = self.frame(body)
    // A lost frame is replaced by the next one.
    while random.happens(6) {
      let body = self.body()
      frame = self.frame(body)
    }
    if random.happens(4) { frame = random.changed(frame, with: sent + [[]]) } else { sent.append(frame) }
    return frame
  }

  private mutating func frame(_ body: FeedCodec.Body) -> [UInt8] {
    let hash = random.happens(2) ? random.next() : state.hash
    return FeedCodec.feed(body, state, hash: hash, isStale: isStale, instance: "test", unixMs: 1)
  }

  private mutating func body() -> FeedCodec.Body {
    switch random.below(20) {
    case 0, 1, 2, 3:
      heartbeats.append(frame(.heartbeat(minAfterSeq: 0)))
      return .heartbeat(minAfterSeq: 0)
    case 4: return .snapshot(.periodic)
    case 5: return .bye(reason: "so long", failoverEndpoints: [])
    default:
      var changes: [FeedChange] = []
      for _ in 0...random.below(3) { changes.append(random.happens(25) ? removal() : upsert()) }
      return .delta(state.apply(changes))
    }
  }

  private mutating func upsert() -> FeedChange {
    seq += 1 + UInt64(random.below(2))
    let isEdit = posts.count > 3 && random.happens(20)
    let id = isEdit ? posts.remove(at: random.below(posts.count)).id.rawValue : 1_000 + seq
    let entry = FeedEntry.sample(seq, id: id)
    posts.insert(entry, at: 0)
    return .upsert(entry)
  }

  private mutating func removal() -> FeedChange {
    guard posts.count > 80 else { return upsert() }
    seq += 1
    let index = random.below(min(posts.count, Limits.feedEntriesMax + 5))
    let next = index < Limits.feedEntriesMax && posts.count > Limits.feedEntriesMax ? posts[Limits.feedEntriesMax] : nil
    return .remove(posts.remove(at: index).id, seq: seq, backfill: next)
  }
}
