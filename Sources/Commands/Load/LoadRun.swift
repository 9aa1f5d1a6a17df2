import Domain
import Foundation
import Logging
import Messaging
import NIOCore
import NIOPosix

/// A load test from its first post to its figures.
struct LoadRun: Sendable {
  /// How long the feed may take to tell its list.
  private static let patienceNs: Int64 = 10_000_000_000
  private static let tick = Duration.milliseconds(200)

  /// How posts go over ZeroMQ.
  struct Submission: Sendable {
    let endpoint: Endpoint
    /// Nil for plain text.
    let curve: CurveClient?
    /// Posts in one frame, 1 to `Limits.submitPostsMax`.
    let batchMax: Int
  }

  let plan: LoadPlan
  let server: URL
  let feed: Endpoint
  let curve: CurveClient?
  let api: API
  let token: String
  let connections: Int
  /// Nil for HTTP.
  let submit: Submission?
  let settleSeconds: Int
  /// Subscribers beside the run's own.
  let audience: Int
  let logger: Logger

  /// - Throws: `SettingError` with what is not there: the feed, the store.
  func run() async throws -> LoadSummary {
    let tally = LoadTally(posts: plan.count)
    let subscription = LoadSubscription(plan: plan, tally: tally)
    let store = LoadStore(api: api)
    let progress = LoadProgress(tally, offered: plan.count)
    let reactor = try subscription.start(feed, curve: curve, logger: logger)
    defer { reactor.stop() }
    defer { progress.clear() }
    try await check(subscription, store)

    // All connections are there before the first post is due.
    let warmUpNs = 250_000_000 + Int64(connections) * 500_000
    let schedule = LoadSchedule(plan, startNs: LoadClock.nowNs + warmUpNs, settleSeconds: settleSeconds)
    subscription.begin(schedule)
    let audience = LoadAudience(count: audience)
    let attending = Task { [feed, curve, plan, logger] in
      try await audience.attend(feed, curve: curve, seconds: plan.seconds, seed: plan.seed, logger: logger)
    }
    defer { attending.cancel() }
    if let submit {
      try await produce(submit, schedule, tally, progress)
    } else {
      try await send(schedule, tally, progress)
    }

    let audit = LoadAudit(plan: plan, store: store, tally: tally, subscription: subscription, audience: audience)
    let untilNs = LoadClock.nowNs + Int64(settleSeconds) * 1_000_000_000
    let finding = try await ticking({ progress.show("checking") }) { try await audit.run(untilNs: untilNs) }
    return LoadSummary(
      plan: plan, server: submit.map { "\($0.endpoint)" } ?? server.absoluteString, connections: connections,
      tally: tally, finding: finding,
      replacements: subscription.replacements, startNs: schedule.startNs)
  }

  /// That the feed tells this server's posts: otherwise none would ever be seen.
  private func check(_ subscription: LoadSubscription, _ store: LoadStore) async throws {
    let untilNs = LoadClock.nowNs + LoadRun.patienceNs
    while subscription.list == nil {
      guard LoadClock.nowNs < untilNs else {
        throw SettingError(.feed, expected: "the address of a feed that answers", came: "\(feed)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    let epoch = try await store.list().epoch
    guard subscription.list?.epoch.description ?? epoch == epoch else {
      throw SettingError(.feed, expected: "a feed of the same ingest as --server", came: "\(feed)")
    }
  }

  private func send(_ schedule: LoadSchedule, _ tally: LoadTally, _ progress: LoadProgress) async throws {
    // One loop carries more than a server of this kind takes, and leaves the other cores to it.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let target = LoadTarget(server, token: token, group: group)
    let timeouts = LoadTimeouts(connections: connections)
    try await ticking({
      timeouts.expire(nowNs: LoadClock.nowNs)
      progress.show("sending")
    }) {
      await withDiscardingTaskGroup { tasks in
        for number in 0..<connections {
          tasks.addTask {
            var connection = LoadConnection(
              number, plan: plan, target: target, schedule: schedule, timeouts: timeouts, tally: tally)
            await connection.run()
          }
        }
      }
    }
    try await group.shutdownGracefully()
  }

  /// Sends over ZeroMQ, until all is answered or the time is over: one thread for all connections.
  private func produce(
    _ submit: Submission, _ schedule: LoadSchedule, _ tally: LoadTally, _ progress: LoadProgress
  ) async throws {
    let producers = (0..<connections).map { _ in
      LoadProducer(plan: plan, schedule: schedule, tally: tally, batchMax: submit.batchMax)
    }
    let reactor = try Reactor.start("produce", wake: Wake()) { [token, logger] context in
      let clients = try producers.map { producer in
        try SubmitClient(
          context, connect: submit.endpoint, curve: submit.curve, token: token, logger: logger,
          next: { producer.next(nowMs: $0) },
          event: { producer.take($0) })
      }
      return (stations: clients, told: ())
    }.reactor
    defer { reactor.stop() }
    try await ticking({ progress.show("sending") }) {
      while !producers.allSatisfy(\.isDone) { try await Task.sleep(for: .milliseconds(10)) }
    }
    reactor.stop()
    for producer in producers { producer.giveUp() }
  }

  /// Does something, and something else five times a second meanwhile.
  private func ticking<Result: Sendable>(
    _ tick: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let ticker = Task {
      while !Task.isCancelled {
        tick()
        try? await Task.sleep(for: LoadRun.tick)
      }
    }
    defer { ticker.cancel() }
    return try await body()
  }
}
