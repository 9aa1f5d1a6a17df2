import Foundation
import Testing

/// A run of a deployment under a load of posts, with one fault at a random moment.
struct FailoverRun: Sendable, CustomTestStringConvertible {
  let seed: UInt64
  let fault: FailoverFault

  var testDescription: String { "FAULT_SEED=\(seed) \(fault)" }

  /// The runs of this suite: one per seed in a full run, else the two most frequent faults.
  static let all: [FailoverRun] =
    Fault.isFull
    ? Fault.seeds.map { FailoverRun(seed: $0) }
    : [.killedLeader, .killedPrimary].map { FailoverRun(seed: Fault.seeds[0], fault: $0) }

  /// Posts per second. The debug program cannot accept as many as the release.
  static let rate = Fault.isFull ? 500 : 40
  static let connections = Fault.isFull ? 64 : 16

  init(seed: UInt64, fault: FailoverFault) { (self.seed, self.fault) = (seed, fault) }

  /// Creates the run of a seed. Successive seeds have successive faults.
  init(seed: UInt64) {
    let faults = FailoverFault.allCases
    self.init(seed: seed, fault: faults[Int(seed % UInt64(faults.count))])
  }

  /// Runs the fault, and expects that no acknowledged post is lost or doubled.
  func run() async throws {
    var random = SeededRandom(seed)
    try await FailoverTrial.with(FailoverDeployment()) { trial in
      try await trial.load.ledger.advance(by: Self.rate)
      try await Task.sleep(for: random.milliseconds(0...2_000))
      let struck = ContinuousClock.now
      try await fault.strike(trial.deployment, &random)
      try await trial.load.ledger.advance(by: 2 * Self.rate)
      let recovered = struck.duration(to: .now)
      try await trial.deployment.repair()
      try await trial.deployment.waitForStandby()
      try await trial.load.ledger.advance(by: Self.rate)
      try await trial.load.finish()
      try await expectWhole(trial)
      Fault.printLine("\(testDescription): \(trial.summary), recovered after \(recovered)")
    }
  }

  private func expectWhole(_ trial: FailoverTrial) async throws {
    let content = try await trial.expectWhole()
    // Tests of `make test` share the machine with others.
    let limit = Fault.isFull ? fault.gapMax : .seconds(60)
    #expect(trial.load.longestGap <= limit, "Posts must continue.")
    if fault.interruptsCommit { #expect(trial.deployment.repetitionCount > 0, "The fault must strike a commit.") }
    if content.epoch != trial.epoch {
      #expect(fault.endsWait && trial.deployment.lossCount > 0, "Only a loss may begin an epoch.")
      Fault.printLine("\(testDescription): new epoch \(content.epoch) after \(trial.epoch)")
    } else {
      #expect(trial.deployment.lossCount == 0)
    }
  }
}

/// A deployment under load, with a record of the lists that readers saw.
struct FailoverTrial: Sendable {
  let deployment: FailoverDeployment
  let load: PostLoad
  let history: FeedHistory
  /// The epoch before the fault.
  let epoch: String

  /// Runs the body under load. Ends all threads and tasks of the trial, also after an error.
  ///
  /// - Parameters:
  ///   - rate: Posts per second.
  ///   - prepare: Called between the sign-up and the load.
  static func with(
    _ deployment: FailoverDeployment, rate: Int = FailoverRun.rate, prepare: () async throws -> Void = {},
    _ body: (FailoverTrial) async throws -> Void
  ) async throws {
    let ports = try deployment.gatewayPorts
    let client = try await Client("http://127.0.0.1:\(ports[0])").signedUp()
    let token = try #require(client.token)
    try await prepare()
    let epoch = try await deployment.feedClients[0].list().epoch
    let history = try await deployment.history()
    let load = PostLoad(ports: ports, token: token, rate: rate, connections: FailoverRun.connections)
    deployment.manage()
    func end() async {
      load.abandon()
      history.end()
      await deployment.end()
    }
    do {
      try await body(FailoverTrial(deployment: deployment, load: load, history: history, epoch: epoch))
    } catch {
      await end()
      throw error
    }
    await end()
  }

  /// The numbers of the run, for the reader of the suite's output.
  var summary: String {
    "\(load.answers.count) posts acknowledged, \(load.resent) attempts repeated, longest gap \(load.longestGap), "
      + "\(history.count) lists seen"
  }

  /// Waits until all posts are settled, and reads the database.
  func settledContent() async throws -> FailoverDatabase.Content {
    let database = deployment.database
    try await eventually("all posts are settled", within: .seconds(240)) {
      try await blocking { try database.queuedCount() } == 0
    }
    return try await blocking { try database.content() }
  }

  /// Waits until all posts are settled, and expects each one to be stored once, under the id of its response. Expects
  /// all readers to have seen the database's lists. Returns the database's content.
  func expectWhole() async throws -> FailoverDatabase.Content {
    let content = try await settledContent()
    let (counts, faults) = load.ledger.classify(content.posts)
    #expect(faults.isEmpty, "\(faults.prefix(5).joined(separator: "\n"))")
    #expect(counts[.ok] == load.answers.count && counts.count == 1, "Every post must be accepted: \(counts)")
    let wrong = load.answers.filter { content.postOfKey[$0.key] != $0.id }
    #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    #expect(Set(content.posts.map(\.id)).count == content.posts.count)
    #expect(load.refusals.isEmpty, "\(load.refusals.prefix(5))")
    try await expectEqualLists(content)
    return content
  }

  /// Expects all services to serve the database's list, and no reader to have seen a list that contradicts it.
  func expectEqualLists(_ content: FailoverDatabase.Content) async throws {
    let gateways = try deployment.gatewayPorts.map { Client("http://127.0.0.1:\($0)") }
    for client in try deployment.feedClients + gateways {
      try await eventually("\(client.base) has the database's list \(content.list.seq) of \(content.epoch)") {
        try await client.list() == content.list
      }
    }
    history.end()
    let contradictions = try history.contradictions(to: content)
    #expect(contradictions.isEmpty, "\(contradictions.prefix(5).joined(separator: "\n"))")
  }
}
