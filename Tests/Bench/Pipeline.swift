import Domain
import Foundation
import Logging
import Messaging
import Synchronization

/// Benchmark of the whole path: posts are accepted, geocoded, settled and published.
struct Pipeline {
  let load: HTTPLoad?
  let acceptedPerSecond: Double
  /// Published posts per second, until the last one is published.
  let completedPerSecond: Double
  let costs: [Deployment.Cost]
  let megabytes: [(role: String, value: Double)]

  /// CPU time of all roles per post, in µs.
  var cpuPerPost: Double { costs.map(\.cpuMicroseconds).reduce(0, +) }

  /// Measures a closed loop of single posts.
  ///
  /// - Parameter accounts: Number of accounts that post in turn.
  static func overHTTP(
    folder: URL, connections: Int, seconds: Int, front: Deployment.Front = .ingest, accounts: Int = 1
  ) async throws -> Pipeline {
    let deployment = try Deployment(folder: folder, front: front)
    let tokens = try await deployment.signUp(accounts)
    deployment.mark()
    let start = ContinuousClock.now
    let load = try HTTPLoad.run(
      url: deployment.http + "/v2/posts", body: #"{"place":"Seattle, WA","link":"https://example.org/me"}"#,
      token: nil, tokens: tokens, connections: connections, seconds: seconds, folder: folder)
    let accepted = load.perSecond * Double(seconds)
    return try await Pipeline(
      deployment, since: start, accepted: Int(accepted), acceptedPerSecond: load.perSecond, load: load)
  }

  /// Measures producers, each with an account of its own.
  ///
  /// - Parameters:
  ///   - open: Number of open batches of each producer.
  ///   - database: An empty database of the PostgreSQL store. Nil for the SQLite store.
  static func overZeroMQ(
    folder: URL, producers: Int = 1, batch: Int, open: Int = Limits.submitRequestsOfConnectionMax, seconds: Int,
    database: PostgresBenchDatabase? = nil
  ) async throws -> Pipeline {
    let deployment = try Deployment(folder: folder, database: database)
    let tokens = try await deployment.signUp(producers)
    deployment.mark()
    let start = ContinuousClock.now
    let accepted = try await submit(
      to: deployment, tokens: tokens, batch: batch, open: open, until: .time(start + .seconds(seconds)))
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    return try await Pipeline(
      deployment, since: start, accepted: accepted, acceptedPerSecond: Double(accepted) / elapsed, load: nil)
  }

  /// Measures a gateway's link without HTTP: a closed loop of posts.
  ///
  /// - Parameters:
  ///   - open: Number of posts in flight.
  ///   - accounts: Number of accounts that post in turn.
  static func overGatewayLink(folder: URL, open: Int, accounts: Int, seconds: Int) async throws -> Pipeline {
    let deployment = try Deployment(folder: folder)
    let tokens = try await deployment.signUp(accounts)
    deployment.mark()
    let start = ContinuousClock.now
    let accepted = try await GatewayLoad.run(
      to: deployment.gateways, tokens: tokens, open: open, until: start + .seconds(seconds))
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    return try await Pipeline(
      deployment, since: start, accepted: accepted, acceptedPerSecond: Double(accepted) / elapsed, load: nil)
  }

  /// Measures two clients of the bulk API, each with one request at a time.
  static func overBulk(folder: URL, posts: Int, seconds: Int) async throws -> Pipeline {
    let deployment = try Deployment(folder: folder)
    let bulk = try Bulk(deployment, token: await deployment.signUp())
    deployment.mark()
    let start = ContinuousClock.now
    let accepted = try await withThrowingTaskGroup { group in
      for _ in 0..<2 {
        group.addTask {
          var sum = 0
          while ContinuousClock.now - start < .seconds(seconds) {
            let accepted = try await bulk.send(posts)
            sum += accepted
            // The backlog is full: measure the accepted posts.
            if accepted < posts { break }
          }
          return sum
        }
      }
      return try await group.reduce(0, +)
    }
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    return try await Pipeline(
      deployment, since: start, accepted: accepted, acceptedPerSecond: Double(accepted) / elapsed, load: nil)
  }

  /// Counts ingest's calls of fdatasync and fsync per 1,000 posts with strace, which slows ingest. The run therefore
  /// gives no rate.
  static func syncsPerThousand(folder: URL, connections: Int, seconds: Int) async throws -> Double {
    let deployment = try Deployment(folder: folder)
    let token = try await deployment.signUp()
    let counts = folder.appendingPathComponent("strace.txt").path
    let tracer = try Program(
      "/usr/bin/env",
      [
        "strace", "-f", "-c", "-o", counts, "-e", "trace=fdatasync,fsync", "-p", "\(deployment.ingest.identifier)",
      ], log: folder.appendingPathComponent("strace.log"), waitsForReady: false)
    let deadline = ContinuousClock.now + .seconds(5)
    while !deployment.ingest.isTraced, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
    let before = try await deployment.published()
    _ = try HTTPLoad.run(
      url: deployment.http + "/v2/posts", body: #"{"place":"Seattle, WA","link":"https://example.org/me"}"#,
      token: token, connections: connections, seconds: seconds, folder: folder)
    let posts = try await deployment.published() - before
    // The tracer ends with ingest and writes its counts then.
    deployment.ingest.end()
    tracer.wait()
    // "  % time  seconds  usecs/call  calls  errors  syscall"
    let calls = try String(contentsOfFile: counts, encoding: .utf8).split(separator: "\n").reduce(0) { sum, line in
      let words = line.split(separator: " ")
      guard let name = words.last, name == "fdatasync" || name == "fsync", words.count > 4 else { return sum }
      return sum + (Int(words[3]) ?? 0)
    }
    guard calls > 0, posts > 0 else { throw BenchError("strace counted no fdatasync. Allow ptrace for this user.") }
    return Double(calls) / Double(posts) * 1_000
  }

  private init(
    _ deployment: Deployment, since start: ContinuousClock.Instant, accepted: Int, acceptedPerSecond: Double,
    load: HTTPLoad?
  ) async throws {
    let published = try await deployment.published(atLeast: accepted, within: .seconds(60))
    guard published >= accepted else { throw BenchError("only \(published) of \(accepted) posts were published") }
    completedPerSecond = Double(published) / ((ContinuousClock.now - start) / .seconds(1))
    self.load = load
    self.acceptedPerSecond = acceptedPerSecond
    costs = deployment.costs(per: published)
    megabytes = deployment.megabytes
  }

  enum End: Sendable {
    case time(ContinuousClock.Instant)
    case posts(Int)

    /// The earliest time at which the load may end.
    fileprivate var earliest: ContinuousClock.Instant { if case .time(let time) = self { time } else { .now } }
  }

  /// Submits posts in batches until `end`. Returns the number of accepted posts.
  ///
  /// - Parameters:
  ///   - tokens: Session token of each producer.
  ///   - open: Maximum number of open batches of each producer.
  static func submit(
    to deployment: Deployment, tokens: [String], batch: Int, open: Int = Limits.submitRequestsOfConnectionMax,
    until end: End
  ) async throws -> Int {
    try await submit(to: deployment.submit, tokens: tokens, batch: batch, open: open, until: end)
  }

  /// Submits posts in batches until `end`. Returns the number of accepted posts.
  ///
  /// - Parameters:
  ///   - address: Address of ingest for producers.
  ///   - endsWhenFull: True if a full backlog ends the load. Otherwise the producers pause, and go on.
  static func submit(
    to address: String, tokens: [String], batch: Int, open: Int = Limits.submitRequestsOfConnectionMax,
    until end: End, endsWhenFull: Bool = true
  ) async throws -> Int {
    var logger = Logger(label: "bench")
    logger.logLevel = .critical
    let quiet = logger
    let endpoint = try Endpoint(address)
    let producers = tokens.map {
      ($0, Producer(batch: batch, openMax: open, end: end, endsWhenFull: endsWhenFull))
    }
    let (reactor, _) = try Reactor.start("producer", wake: WakeupEvent()) { context in
      let clients: [any ReactorSocket] = try producers.map { token, producer in
        try SubmitClient(
          context, connect: [endpoint], token: token, logger: quiet, next: { producer.next(nowMs: $0) },
          event: { producer.receive($0) })
      }
      return (clients, ())
    }
    defer { reactor.stop() }
    let deadline = end.earliest + .seconds(600)
    while !producers.allSatisfy(\.1.isDone) {
      guard ContinuousClock.now < deadline else { throw BenchError("the producer did not finish within 600 s") }
      try await Task.sleep(for: .milliseconds(2))
    }
    if let refused = producers.lazy.compactMap(\.1.refused).first {
      throw BenchError("a post was refused: \(refused)")
    }
    return producers.map(\.1.accepted).reduce(0, +)
  }
}

/// A producer of batches. The reactor's thread drives it, and any thread may read its counts.
private final class Producer: Sendable {
  private struct State {
    var posts = 0
    var batches: UInt64 = 0
    var open = 0
    var accepted = 0
    var pausedUntilMs: Int64 = 0
    var isOver = false
    var refused: String?
  }

  /// Pause after a reply that the backlog is full, in milliseconds.
  private static let pauseMs: Int64 = 20

  private let batch: Int
  private let openMax: Int
  private let end: Pipeline.End
  private let endsWhenFull: Bool
  private let state = Mutex(State())

  init(batch: Int, openMax: Int, end: Pipeline.End, endsWhenFull: Bool) {
    (self.batch, self.openMax, self.end, self.endsWhenFull) = (batch, openMax, end, endsWhenFull)
  }

  var accepted: Int { state.withLock(\.accepted) }
  var refused: String? { state.withLock(\.refused) }
  var isDone: Bool { state.withLock { $0.isOver && $0.open == 0 } }

  func next(nowMs: Int64) -> SubmitClient.Next {
    state.withLock { state in
      switch end {
      case .time(let time): state.isOver = state.isOver || ContinuousClock.now >= time
      case .posts(let count): state.isOver = state.isOver || state.posts >= count
      }
      guard !state.isOver else { return .over }
      // The client asks again after each reply.
      guard state.open < openMax else { return .pause(untilMs: .max) }
      guard nowMs >= state.pausedUntilMs else { return .pause(untilMs: state.pausedUntilMs) }
      let posts = (0..<batch).map { number in
        SubmittedPost(
          idempotencyKey: "bench-\(state.posts + number)", place: "Seattle, WA", link: "https://example.org/me")
      }
      state.posts += batch
      state.open += 1
      state.batches += 1
      return .batch(state.batches, posts)
    }
  }

  func receive(_ event: SubmitClient.Event) {
    state.withLock { state in
      switch event {
      case .repeated: break
      case .refused(_, let refusal):
        state.open -= 1
        state.refused = refusal.code
      case .receipts(_, let receipts):
        state.open -= 1
        for receipt in receipts {
          switch receipt {
          case .accepted, .replayed: state.accepted += 1
          // The backlog is full: measure the accepted posts.
          case .busy where endsWhenFull: state.isOver = true
          case .busy: state.pausedUntilMs = Reactor.nowMs + Producer.pauseMs
          case .refused(let refusal): state.refused = refusal.code
          }
        }
      }
    }
  }
}
