import Domain
import Fuzzing
import Store

@testable import SQLiteStore

/// A client that posts. It repeats a request with the same idempotency keys until it has a response.
struct SimulatedClient {
  struct PendingPost {
    let key: String
    let submission: Submission
    var idempotency: Idempotency
    var acceptedID: PostID?
  }

  let account: AccountID
  /// Indices of the posts of each batch: one post over HTTP, several over ZeroMQ.
  let batches: [[Int]]
  var pendingPosts: [PendingPost]

  var isDone: Bool { pendingPosts.allSatisfy { $0.acceptedID != nil } }
}

/// A request in flight with some of a client's posts.
struct Request {
  let client: Int
  let account: AccountID
  var posts: [SimulatedClient.PendingPost]
  /// The gateway's request, with its connection. Nil for a request without a gateway.
  var gateway: (ticket: GatewayAdmission.Ticket, connection: Int)?
}

extension Simulation {
  func makeClients() throws {
    for account: Int64 in 1...Int64(SimulationFixture.accounts) {
      // The first client has many posts. The client of the gateway has enough posts to share frames.
      let count = account == 2 ? 5 : 10
      var pendingPosts: [SimulatedClient.PendingPost] = []
      for number in 0..<count {
        let place = "\(behaviour(account, number).rawValue) \(account).\(number)"
        let submission = try Submission(place: place, link: "example.org", latitude: nil, longitude: nil)
        let key = "\(account).\(number)"
        let idempotency = Idempotency(key: key, requestHash: Array(place.utf8))
        pendingPosts.append(.init(key: key, submission: submission, idempotency: idempotency))
      }
      var batches: [[Int]] = []
      var rest = Array(0..<count)
      while !rest.isEmpty {
        let size = random.happens(40) ? min(rest.count, 3) : 1
        batches.append(Array(rest.prefix(size)))
        rest.removeFirst(size)
      }
      let client = clients.count
      clients.append(.init(account: AccountID(rawValue: account), batches: batches, pendingPosts: pendingPosts))
      let burstMs = random.between(0, Simulation.faultsMs / 2)
      if client == Simulation.gatewayClient { gateway.burstMs = burstMs }
      for batch in batches.indices {
        // Under load, the posts of a gateway wait for the replies to earlier frames.
        let inMs =
          client == Simulation.gatewayClient && random.happens(70)
          ? burstMs + random.between(0, 300) : random.between(0, Simulation.faultsMs / 2)
        eventQueue.schedule(.clientSends(client, batch: batch), inMs: inMs)
      }
    }
  }

  /// Returns the behaviour of a post. Each run has a poison post, and some have a hanging, a stubborn or a slow one.
  private func behaviour(_ account: Int64, _ number: Int) -> PlaceBehaviour {
    switch (account, number) {
    case (3, 0): .poison
    case (2, 0) where seed % 8 == 0: .hanging
    case (2, 0) where seed % 16 == 4: .stubborn
    case (2, 0) where seed % 16 == 10: .slow
    default: random.one(of: Simulation.behaviours)
    }
  }

  private static let behaviours: [PlaceBehaviour] = [
    .found, .found, .found, .nowhere, .flaky, .flaky, .broken, .street, .street,
  ]

  func send(_ client: Int, batch: Int) {
    let posts = clients[client].batches[batch].map { clients[client].pendingPosts[$0] }.filter { $0.acceptedID == nil }
    guard !posts.isEmpty else { return }
    let request = Request(client: client, account: clients[client].account, posts: posts)
    guard client != Simulation.gatewayClient else {
      return eventQueue.schedule(.gatewayReceives(request), inMs: random.between(1, 20))
    }
    for delayMs in network.delays(between: nil, .toIngest, nowMs: nowMs, using: &random) {
      eventQueue.schedule(.requestArrives(request), inMs: delayMs)
    }
    // The client repeats the request until all of its posts have a response.
    eventQueue.schedule(.clientSends(client, batch: batch), inMs: random.between(1_000, 3_000))
  }

  func ingestReceives(_ request: Request) async throws {
    guard ingest != nil else { return }
    if mayCrash(.ingestHasRequest) { return endIngest("ingestHasRequest") }
    var request = request
    switch injectedBug {
    case .looksUpKeysBeforeTransaction:
      for index in request.posts.indices {
        let pending = request.posts[index]
        if try await store.database?.accepted(pending.idempotency, account: request.account) != nil { return }
        starts += 1
        request.posts[index].idempotency = .init(
          key: "\(pending.key) \(starts)", requestHash: pending.idempotency.requestHash)
      }
    case .respondsBeforeCommit:
      let id = PostID.following(nil, unixMs: unixMs)
      for pending in request.posts { ledger.recordResponse(key: pending.key, id) }
    default: break
    }
    let posts = request.posts.map { NewPost($0.submission, $0.idempotency) }
    submit(.accept(posts, account: request.account, capacity: posts.count, unixMs: unixMs), .client(request))
  }

  /// Sends the response to a client. A refused write has none.
  ///
  /// - Parameter ids: Ids of the posts, in order. Nil if the write was refused.
  func respond(to request: Request, _ ids: [PostID]?) {
    if let ids { for (pending, id) in zip(request.posts, ids) { ledger.recordResponse(key: pending.key, id) } }
    if let (ticket, connection) = request.gateway { return respond(to: ticket, ids, on: connection) }
    guard let ids else { return }
    for delayMs in network.delays(between: nil, .toWorker, nowMs: nowMs, using: &random) {
      eventQueue.schedule(.responseArrives(request, ids), inMs: delayMs)
    }
  }

  func clientReceives(_ request: Request, _ ids: [PostID]) {
    for (post, id) in zip(request.posts, ids) {
      guard let index = clients[request.client].pendingPosts.firstIndex(where: { $0.key == post.key }) else { continue }
      let before = clients[request.client].pendingPosts[index].acceptedID
      // The key of a lost post is free, so another post may have it.
      guard before == nil || !ledger.lost.contains(id) else { continue }
      let isSame = before.map { $0 == id || ledger.lost.contains($0) } ?? true
      ledger.expect(isSame, "key \(post.key) has responses with two posts")
      clients[request.client].pendingPosts[index].acceptedID = id
    }
  }

  /// Starts a lookup with its timeout.
  func lookUp() {
    guard let generation = ingest?.generation, ingest?.core.scheduler.isPaused == false else { return }
    starts += 1
    let id = JobID(lookup: JobID.lookupBase(generation: generation) + UInt64(starts))
    let place = random.one(of: [PlaceBehaviour.found, .street, .flaky]).rawValue
    let request = Job.Request.lookup(PlaceQuery("\(place) lookup"))
    ingest?.core.enqueueLookup(Job(id: id, account: AccountID(rawValue: 0), request: request))
    ingest?.lookups.insert(id)
    eventQueue.schedule(.lookupTimesOut(id, generation: generation), inMs: Limits.lookupTimeoutMs)
    tickIngest()
  }

  func cancel(_ id: JobID, generation: UInt32) {
    guard ingest?.generation == generation, ingest?.lookups.remove(id) != nil else { return }
    ingest?.core.cancel(id)
    tickIngest()
  }

  /// Lets the operator retry the dead posts or discard one.
  func operate() {
    guard ingest != nil else { return }
    guard random.happens(30) else { return retryDead() }
    if let id = ledger.posts.filter({ $0.value.fate == .dead }).keys.min() {
      submit(.discard([id], unixMs: unixMs), .operation)
    }
  }

  func retryDead() {
    submit(.retryDead(.all(reason: nil, after: nil), limit: Limits.adminPostsMax, unixMs: unixMs), .operation)
  }

  func pause() {
    guard ingest != nil else { return eventQueue.schedule(.operatorPauses, inMs: 500) }
    trace("the operator pauses the queue")
    pauses += 1
    submit(.pause(sinceMs: unixMs), .operation)
    eventQueue.schedule(.operatorResumes, inMs: random.between(200, 8_000))
  }

  func resume() {
    guard ingest != nil else { return eventQueue.schedule(.operatorResumes, inMs: 500) }
    trace("the operator resumes the queue")
    submit(.pause(sinceMs: nil), .operation)
    // Another process may take over before the commit.
    if failover != nil, isCalm, ledger.isPaused { eventQueue.schedule(.operatorResumes, inMs: 1_000) }
  }
}
