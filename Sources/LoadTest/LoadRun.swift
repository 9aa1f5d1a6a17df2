import Domain
package import Foundation
package import HTTPClient
package import Logging
package import Messaging
import NIOCore
import NIOPosix

/// A load test, from its first post to its summary.
package struct LoadRun: Sendable {
  /// Options of posts over ZeroMQ.
  package struct Submission: Sendable {
    /// Addresses of ingest, at least one. Each producer uses one at a time.
    let endpoints: [Endpoint]
    /// Keys of the producer and of the link. Nil disables encryption.
    let curve: CurveClient?
    /// Maximum number of posts in a frame, 1 to `Limits.submitPostsMax`.
    let batchMax: Int

    package init(endpoints: [Endpoint], curve: CurveClient?, batchMax: Int) {
      (self.endpoints, self.curve, self.batchMax) = (endpoints, curve, batchMax)
    }
  }

  let plan: LoadPlan
  /// Servers of the same posts, at least one. The connections share them.
  let servers: [URL]
  /// Feeds of the same list, at least one. Each subscriber uses one at a time.
  let feeds: [Endpoint]
  let curve: CurveClient?
  let api: API
  let token: String
  let connections: Int
  /// Options of posts over ZeroMQ. Nil for HTTP.
  let submit: Submission?
  let drainTimeoutSeconds: Int
  /// Number of subscribers besides the run's own.
  let subscribers: Int
  let logger: Logger
  /// Draws the progress line. Nil if no terminal shows it.
  let draw: (@Sendable (String) -> Void)?

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - servers: Ingest or its gateways, at least one. A connection that breaks continues at the next one.
  ///   - feeds: Feeds of the same list, at least one. `curve` encrypts the link, and nil disables encryption.
  ///   - api: The server, with the account's token.
  ///   - connections: Number of connections that share the posts, over HTTP or ZeroMQ.
  ///   - submit: Options of posts over ZeroMQ. Nil for HTTP.
  ///   - drainTimeoutSeconds: Time for retries, and then for queued posts, in seconds.
  ///   - subscribers: Number of subscribers besides the run's own.
  ///   - draw: Replaces the progress line, and removes it for "". Nil if no terminal shows it. Called on any thread.
  package init(
    plan: LoadPlan, servers: [URL], feeds: [Endpoint], curve: CurveClient?, api: API, token: String, connections: Int,
    submit: Submission?, drainTimeoutSeconds: Int, subscribers: Int, logger: Logger, draw: (@Sendable (String) -> Void)?
  ) {
    self.plan = plan
    self.servers = servers
    self.feeds = feeds
    self.curve = curve
    self.api = api
    self.token = token
    self.connections = connections
    self.submit = submit
    self.drainTimeoutSeconds = drainTimeoutSeconds
    self.subscribers = subscribers
    self.logger = logger
    self.draw = draw
  }

  /// Sends all posts, waits until they are settled, and compares them with the store.
  ///
  /// - Throws: `LoadTestError` if the feed or the store does not respond.
  package func run() async throws -> LoadSummary {
    let tally = Tally(posts: plan.count)
    let subscription = RunSubscriber(plan: plan, tally: tally)
    let store = StoreReader(api: api)
    let progress = RunProgress(tally, offered: plan.count, draw: draw)
    let reactor = try subscription.start(feeds, curve: curve, logger: logger)
    defer { reactor.stop() }
    defer { progress.clear() }
    try await check(subscription, store)

    // All connections open before the first post is due.
    let warmUpNs = LoadLimits.warmUpNs + Int64(connections) * LoadLimits.warmUpOfConnectionNs
    let schedule = Schedule(plan, startNs: RunClock.nowNs + warmUpNs, drainTimeoutSeconds: drainTimeoutSeconds)
    subscription.begin(schedule)
    let others = Subscribers(count: subscribers)
    let subscriberTask = Task { [feeds, curve, plan, logger] in
      try await others.run(feeds, curve: curve, seconds: plan.seconds, seed: plan.seed, logger: logger)
    }
    defer { subscriberTask.cancel() }
    if let submit {
      try await produce(submit, schedule, tally, progress)
    } else {
      try await send(schedule, tally, progress)
    }

    let audit = Audit(plan: plan, store: store, tally: tally, subscription: subscription, subscribers: others)
    let untilNs = RunClock.nowNs + Int64(drainTimeoutSeconds) * 1_000_000_000
    let finding = try await ticking({ progress.show("checking") }) { try await audit.run(untilNs: untilNs) }
    return LoadSummary(
      plan: plan,
      server: submit.map { LoadTestError.list($0.endpoints) }
        ?? servers.map(\.absoluteString).joined(separator: ","),
      connections: connections,
      tally: tally, finding: finding,
      replacements: subscription.replacements, startNs: schedule.startNs)
  }

  /// Checks that the feed publishes this server's posts. Otherwise the subscriber would see none.
  private func check(_ subscription: RunSubscriber, _ store: StoreReader) async throws {
    let untilNs = RunClock.nowNs + LoadLimits.listNs
    while subscription.list == nil {
      guard RunClock.nowNs < untilNs else {
        throw LoadTestError.silentFeed(feeds)
      }
      try await Task.sleep(for: LoadLimits.beginPoll)
    }
    let epoch = try await store.list().epoch
    guard subscription.list?.epoch.description ?? epoch == epoch else {
      throw LoadTestError.foreignFeed(feeds)
    }
  }

  private func send(_ schedule: Schedule, _ tally: Tally, _ progress: RunProgress) async throws {
    // A single event loop carries more posts than a server accepts, and leaves the other cores to the server.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let targets = servers.map { PostTarget($0, token: token, group: group) }
    let timeouts = RequestTimeouts(connections: connections)
    try await ticking({
      timeouts.expire(nowNs: RunClock.nowNs)
      progress.show("sending")
    }) {
      await withDiscardingTaskGroup { tasks in
        for number in 0..<connections {
          tasks.addTask {
            var connection = PostConnection(
              number, plan: plan, targets: targets, schedule: schedule, timeouts: timeouts, tally: tally)
            await connection.run()
          }
        }
      }
    }
    try await group.shutdownGracefully()
  }

  /// Sends over ZeroMQ until every post has a receipt or the time is over. One thread serves all connections.
  private func produce(
    _ submit: Submission, _ schedule: Schedule, _ tally: Tally, _ progress: RunProgress
  ) async throws {
    let producers = (0..<connections).map { _ in
      Producer(plan: plan, schedule: schedule, tally: tally, batchMax: submit.batchMax)
    }
    let reactor = try Reactor.start("produce", wake: WakeupEvent()) { [token, logger] context in
      let clients = try producers.map { producer in
        try SubmitClient(
          context, connect: submit.endpoints, curve: submit.curve, token: token, logger: logger,
          next: { producer.next(nowMs: $0) },
          event: { producer.handle($0) })
      }
      return (sockets: clients, value: ())
    }.reactor
    defer { reactor.stop() }
    try await ticking({ progress.show("sending") }) {
      while !producers.allSatisfy(\.isDone) { try await Task.sleep(for: LoadLimits.producersPoll) }
    }
    reactor.stop()
    for producer in producers { producer.recordUnanswered() }
  }

  /// Runs `body`, and calls `tick` five times a second meanwhile.
  private func ticking<Result: Sendable>(
    _ tick: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let ticker = Task {
      while !Task.isCancelled {
        tick()
        try? await Task.sleep(for: LoadLimits.progressInterval)
      }
    }
    defer { ticker.cancel() }
    return try await body()
  }
}
