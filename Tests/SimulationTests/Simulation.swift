import Fuzzing

@testable import Domain

/// Simulation of the whole system from one seed: clients, ingest with the real store, workers, an operator, a feed and
/// its subscriber. The network loses, repeats, delays and reorders messages, and has partitions. Processes crash at
/// every step. A calm without faults follows, in which everything must finish. The state machines are those of
/// production. The code here replaces their sockets and queues.
final class Simulation {
  enum Event {
    case ingestStarts
    case ingestEnds
    case ingestTicks(generation: UInt32, atMs: Int64)
    case ingestReceives(WorkerPacket, from: Address)
    case storeCommits(generation: UInt32)
    case storeCompletes(generation: UInt32, [SimulatedStore.Completed])
    case workerStarts(Int)
    case workerTicks(Int, incarnation: Int, atMs: Int64)
    case workerReceives(IngestPacket, at: Address)
    case workerFinishes(Int, incarnation: Int, Lease)
    case workerDrains(Int)
    case workerLeaves(Int, incarnation: Int)
    case clientSends(Int, batch: Int)
    case requestArrives(Request)
    case responseArrives(Request, [PostID])
    case ownerRevises
    case ownerSends(Int)
    case revisionArrives(Int)
    case revisionResponseArrives(Int)
    case clientLooksUp
    case lookupTimesOut(JobID, generation: UInt32)
    case operatorActs
    case operatorPauses
    case operatorResumes
    case feedStarts
    case feedEnds
    case feedTicks(Int, atMs: Int64)
    case fetchArrives(Fetch)
    case fetchTimesOut
    case feedReceives(FetchReply)
    case subscriberReceives(FeedPacket)
    case subscriberTicks(atMs: Int64)
    case joinArrives(from: Address)
    case gatewayReceives(Request)
    case gatewayTicks(atMs: Int64)
    case gatewayMessageArrives(GatewayMessage)
    case gatewayAnswerArrives(GatewayAnswer, connection: Int)
    case gatewayConnectionBreaks
    case gatewayIsCut
    case gatewayStops
    case gatewayEndsWaits(incarnation: Int)
    case gatewayTimesOut(incarnation: Int)
    case gatewayIsKilled(incarnation: Int)
    case gatewayStarts
    case ingestShutsDown
    case partition(Int)
    /// The index is a worker's. The next two indices are the feed's link to ingest and the subscriber's link.
    case connectionDies(Int)
    case ingestIsSuspended
    case failover(Failover.Event)
  }

  /// Duration of the faults, before the calm.
  static let faultsMs: Int64 = 16_000
  /// Longest calm within which everything must finish. The time covers four workers that hang on one job, each for
  /// about 65 s until its lease ends. The time also covers the longest pause of a job that has failed seven times.
  static let calmMs: Int64 = 345_000

  let seed: UInt64
  let injectedBug: InjectedBug?
  let isTraced: Bool
  let fixture: SimulationFixture
  let store: SimulatedStore
  var random: SeededRandom
  var eventQueue = EventQueue<Event>()
  var network = SimulatedNetwork()
  var ledger = Ledger()
  var ingest: SimulatedIngest?
  /// The address of ingest, 0 or 1. Workers and the feed know both. Some starts of ingest are at the other address.
  var ingestAddress = 0
  /// Source of the address of ingest's next start, and of pauses between addresses.
  var addressRandom: SeededRandom
  var workers: [SimulatedWorker]
  var clients: [SimulatedClient] = []
  var revisions: [Revision] = []
  var feed = SimulatedFeed()
  var subscriber = SimulatedSubscriber()
  var gateway = SimulatedGateway()
  /// The replicated database with a second process of ingest. Nil for ingest with a database of its own.
  let failover: Failover?
  /// Token of the latest lease of each job.
  var latestTokens: [JobID: UInt64] = [:]
  var isCalm = false
  /// Deadline of the run.
  private var endMs = Simulation.faultsMs + Simulation.calmMs
  private var hasRetriedDead = false
  /// Time until which ingest is suspended.
  var suspendedUntilMs: Int64 = 0
  /// The last suspension of ingest.
  var lastSuspension: (generation: UInt32, sinceMs: Int64, untilMs: Int64) = (0, 0, 0)
  var starts = 0
  var crashes: [CrashPoint: Int] = [:]
  var drains = 0
  var pauses = 0
  var hangs = 0
  var refusals = 0
  var refusedDeaths = 0
  var suspensions = 0
  var deletions = 0
  var backfills = 0
  var edits = 0
  var settledDeletedPosts = 0
  var epochs = 0
  var damages = 0
  var feedEnds = 0
  var deadConnections = 0
  var addressChanges = 0
  private(set) var events = 0
  private(set) var traced: [String] = []

  init(
    seed: UInt64, injectedBug: InjectedBug? = nil, failover: Failover? = nil, fixture: SimulationFixture,
    isTraced: Bool = false
  ) {
    self.seed = seed
    self.injectedBug = injectedBug
    self.failover = failover
    self.isTraced = isTraced
    self.fixture = fixture
    store = SimulatedStore(fixture)
    ledger.begin(fixture.posts)
    random = SeededRandom(seed: seed)
    addressRandom = SeededRandom(seed: ~seed)
    workers = [.init(hasRemote: true), .init(hasRemote: seed % 2 == 0), .init(hasRemote: false)]
  }

  var nowMs: Int64 { eventQueue.nowMs }
  /// The wall clock.
  var unixMs: Int64 { 1_700_000_000_000 + nowMs }

  func trace(_ text: @autoclosure () -> String) {
    if isTraced { traced.append("\(nowMs) \(text())") }
  }

  /// Runs until the first violation or until everything has finished.
  func run() async {
    do { try await runEvents() } catch { ledger.recordViolation("an error: \(error)") }
    for violation in ledger.violations { trace("VIOLATION: \(violation)") }
    ingest = nil
    store.crash()
  }

  private func runEvents() async throws {
    try scheduleStart()
    while let event = eventQueue.next(), ledger.violations.isEmpty {
      if !isCalm, nowMs >= Simulation.faultsMs { startCalm() }
      events += 1
      try await perform(event)
      guard isCalm else { continue }
      if isFinished, !retryDeadAtEnd() { break }
      if nowMs > endMs {
        ledger.recordViolation("not finished after \(Simulation.calmMs) ms of calm: \(unfinished)")
      }
    }
    if ledger.violations.isEmpty { try await checkEnd() }
  }

  private func scheduleStart() throws {
    if failover == nil { eventQueue.schedule(.ingestStarts, inMs: 0) } else { startFailover() }
    for index in workers.indices { eventQueue.schedule(.workerStarts(index), inMs: random.between(0, 500)) }
    try makeClients()
    eventQueue.schedule(.feedStarts, inMs: 10)
    tickSubscriber()
    startGateway()
    if random.happens(30) { eventQueue.schedule(.feedEnds, inMs: random.between(1_000, Simulation.faultsMs)) }
    for _ in 0..<6 { eventQueue.schedule(.ownerRevises, inMs: random.between(100, Simulation.faultsMs)) }
    for _ in 0..<4 { eventQueue.schedule(.clientLooksUp, inMs: random.between(100, Simulation.faultsMs)) }
    for _ in 0..<2 { eventQueue.schedule(.operatorActs, inMs: random.between(1_000, Simulation.faultsMs)) }
    if random.happens(50) {
      eventQueue.schedule(.operatorPauses, inMs: random.between(1_000, Simulation.faultsMs - 8_000))
    }
    for _ in 0..<2 {
      eventQueue.schedule(.partition(random.below(workers.count)), inMs: random.between(500, Simulation.faultsMs))
    }
    if random.happens(40) {
      let index = random.below(workers.count + 2)
      eventQueue.schedule(.connectionDies(index), inMs: random.between(500, Simulation.faultsMs))
    }
    if seed % 16 == 10 {
      for number: Int64 in 1...30 {
        eventQueue.schedule(.clientLooksUp, inMs: 2_000 * number + random.between(0, 1_000))
      }
    }
    eventQueue.schedule(.workerDrains(random.below(workers.count)), inMs: random.between(1_000, Simulation.faultsMs))
    if random.happens(20) { eventQueue.schedule(.ingestIsSuspended, inMs: random.between(1_000, Simulation.faultsMs)) }
  }

  private func startCalm() {
    trace("the calm begins")
    isCalm = true
    network.heal()
    gateway.cutUntilMs = 0
    eventQueue.schedule(.operatorResumes, inMs: 1)
  }

  /// Retries the dead posts in some runs, and schedules a crash of ingest while they are queued. Most posts with lost
  /// leases die only after the faults. Returns true if the run continues.
  private func retryDeadAtEnd() -> Bool {
    guard seed % 8 == 5, !hasRetriedDead else { return false }
    guard ledger.posts.values.contains(where: { $0.fate == .dead }) else { return false }
    hasRetriedDead = true
    endMs = nowMs + Simulation.calmMs
    retryDead()
    eventQueue.schedule(.ingestEnds, inMs: random.between(100, 10_000))
    return true
  }

  func perform(_ event: Event) async throws {
    switch event {
    case .ingestStarts: try await startIngest()
    case .ingestEnds:
      releaseTerm()
      if ingest != nil { endIngest("the end of its process") }
    case .ingestTicks, .ingestReceives, .storeCommits, .storeCompletes, .requestArrives, .revisionArrives,
      .fetchArrives, .fetchTimesOut, .clientLooksUp, .lookupTimesOut, .gatewayMessageArrives, .ingestShutsDown:
      if nowMs < suspendedUntilMs {
        deferEvent(event)
      } else if checkConnection() {
        try await performAtIngest(event)
      }
    case .workerStarts(let index): startWorker(index)
    case .workerTicks(let index, let incarnation, let atMs):
      if workers[index].incarnation == incarnation, workers[index].dueMs == atMs { tickWorker(index) }
    case .workerReceives(let packet, let address):
      worker(address.worker, receives: packet, on: address.connection)
    case .workerFinishes(let index, let incarnation, let lease):
      worker(index, finishes: lease, incarnation: incarnation)
    case .workerDrains(let index): drainWorker(index)
    case .workerLeaves(let index, let incarnation):
      if workers[index].incarnation == incarnation { endWorker(index, "its goodbye has no reply") }
    case .clientSends(let client, let batch): send(client, batch: batch)
    case .responseArrives(let request, let ids): clientReceives(request, ids)
    case .ownerRevises: try revise()
    case .ownerSends(let number): sendRevision(number)
    case .revisionResponseArrives(let number): revisions[number].hasResponse = true
    case .operatorActs: operate()
    case .operatorPauses: pause()
    case .operatorResumes: resume()
    case .feedStarts: startFeed()
    case .feedEnds: endFeed()
    case .feedTicks(let incarnation, let atMs):
      if feed.incarnation == incarnation, feed.dueMs == atMs { tickFeed() }
    case .feedReceives(let reply): feedReceives(reply)
    case .subscriberReceives(let packet): subscriberReceives(packet)
    case .subscriberTicks(let atMs): if subscriber.dueMs == atMs { tickSubscriber() }
    case .joinArrives(let address): feedReceivesJoin(from: address)
    case .gatewayReceives, .gatewayTicks, .gatewayAnswerArrives, .gatewayConnectionBreaks, .gatewayIsCut,
      .gatewayStops, .gatewayEndsWaits, .gatewayTimesOut, .gatewayIsKilled, .gatewayStarts:
      performAtGateway(event)
    case .partition(let index):
      let untilMs = nowMs + random.between(500, 12_000)
      network.partition(index, random.one(of: SimulatedNetwork.Direction.allCases), untilMs: untilMs)
    case .connectionDies(let index):
      // A worker without a session would notice by TCP keepalives, which are not simulated.
      guard index >= workers.count || workers[index].session.session != nil else { return }
      deadConnections += 1
      let addresses = workers.indices.map { Address(worker: $0, connection: workers[$0].connection) }
      network.kill((addresses + [feed.address, subscriber.address])[index], nowMs: nowMs)
    case .ingestIsSuspended:
      guard failover == nil || ingest != nil else { return }
      suspendIngest(untilMs: nowMs + random.between(1_000, 15_000))
    case .failover(let event): try await performFailover(event)
    }
  }

  func suspendIngest(untilMs: Int64) {
    suspensions += 1
    suspendedUntilMs = untilMs
    lastSuspension = (ingest?.generation ?? 0, nowMs, untilMs)
  }

  /// Schedules an event of ingest for the end of its suspension. Another process may lead then.
  private func deferEvent(_ event: Event) {
    let deferred = failover == nil ? event : .failover(.afterSuspension(event, generation: ingest?.generation))
    eventQueue.schedule(deferred, inMs: suspendedUntilMs - nowMs)
  }

  private func performAtIngest(_ event: Event) async throws {
    switch event {
    case .ingestTicks(let generation, let atMs):
      if ingest?.generation == generation, ingest?.dueMs == atMs { tickIngest() }
    case .ingestReceives(let packet, let address):
      if workers[address.worker].rotation.current == ingestAddress { ingestReceives(packet, from: address) }
    case .storeCommits(let generation): try await commit(generation: generation)
    case .storeCompletes(let generation, let completed): complete(completed, generation: generation)
    case .requestArrives(let request): try await ingestReceives(request)
    case .revisionArrives(let number): ingestReceives(revision: number)
    case .gatewayMessageArrives(let message): try await ingestReceives(message)
    case .ingestShutsDown:
      guard ingest != nil else { return }
      ingest?.gateways.shutDown()
      failover?.leader.isReleasing = true
      eventQueue.schedule(.ingestEnds, inMs: random.between(50, 1_000))
    case .fetchArrives(let fetch): if feed.rotation.current == ingestAddress { ingestReceives(fetch) }
    case .fetchTimesOut: sendFetchReplies()
    case .clientLooksUp: lookUp()
    case .lookupTimesOut(let id, let generation): cancel(id, generation: generation)
    default: break
    }
  }
}
