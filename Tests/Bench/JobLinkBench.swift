import Domain
import Logging
import Messaging
import Synchronization

/// Benchmark of the job link alone: real sockets and state machines, workers that do no lookup, and no disk.
enum JobLinkBench {
  /// Number of workers for 1,000 outstanding jobs, all on one thread.
  private static let workers = 1_000 / Limits.windowMax + 1

  /// Measures the jobs per second that are sent, finished and acknowledged, with 1,000 outstanding.
  static func roundTripsPerSecond(seconds: Int) async throws -> Double {
    try await run(workers: workers, outstanding: workers * Limits.windowMax, warmUp: 10_000, seconds: seconds)
  }

  /// Measures the time of a round trip with one outstanding job, in µs.
  static func roundTripMicroseconds(seconds: Int) async throws -> Double {
    // Jobs run one after the other, so the mean is close to the median, except for a few stalls of the machine.
    1e6 / (try await run(workers: 1, outstanding: 1, warmUp: 500, seconds: seconds))
  }

  private static func run(workers: Int, outstanding: Int, warmUp: Int, seconds: Int) async throws -> Double {
    var logger = Logger(label: "bench")
    logger.logLevel = .critical
    let wake = WakeupEvent()
    let commands = CommandQueue<JobServer.Command>(wake)
    let done = Atomic<Int>(0)
    let next = Atomic<UInt64>(0)
    let quiet = logger
    guard let epoch = Epoch([UInt8](repeating: 1, count: 16)) else { throw BenchError("an epoch has 16 bytes") }
    let (server, jobs) = try Reactor.start("server", wake: wake) { context in
      let server = try JobServer(
        context, bind: try Endpoint("tcp://127.0.0.1:*"), start: IngestStart(epoch: epoch, generation: 1),
        commands: commands, logger: quiet,
        perform: { effect in
          guard case .store(let write) = effect else { return }
          let records = write.records
          done.add(records.count, ordering: .relaxed)
          commands.enqueue(.committed(.written(write, SettlementResult())))
          commands.enqueue(.committed(.accepted(records.map { _ in job(next) })))
        })
      return ([server], server.endpoint)
    }
    defer { server.stop() }
    let found = WorkerReply.outcome(.notFound)
    let (worker, _) = try Reactor.start("worker", wake: WakeupEvent()) { context in
      let clients = try (1...workers).map { number in
        try JobClient(
          context, connect: [jobs], worker: "bench-\(number)", instance: [UInt8](repeating: UInt8(number), count: 16),
          software: "bench", concurrency: Limits.windowMax / 2, logger: quiet, joined: {}, reply: { _, _ in found })
      }
      return (clients, ())
    }
    defer { worker.stop() }
    commands.enqueue(.committed(.accepted((0..<outstanding).map { _ in job(next) })))
    let deadline = ContinuousClock.now + .seconds(30)
    while done.load(ordering: .relaxed) < warmUp {
      guard ContinuousClock.now < deadline else { throw BenchError("the job link was not warm within 30 s") }
      try await Task.sleep(for: .milliseconds(5))
    }
    let (start, before) = (ContinuousClock.now, done.load(ordering: .relaxed))
    try await Task.sleep(for: .seconds(seconds))
    return Double(done.load(ordering: .relaxed) - before) / ((ContinuousClock.now - start) / .seconds(1))
  }

  private static func job(_ next: borrowing Atomic<UInt64>) -> Job {
    let number = next.add(1, ordering: .relaxed).newValue
    return Job(
      id: JobID(rawValue: number), account: AccountID(rawValue: Int64(number % 10)), query: "Seattle, Washington")
  }
}
