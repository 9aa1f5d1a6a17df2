import Domain
import Foundation
import Messaging
import Metrics
import Telemetry
import Web

/// Hasher of passwords, in the order of `PasswordQueue`. Ingest computes the hashes of its own requests at the pace
/// that posts leave. A gateway computes those of the requests that it forwards (`HashingGateway`).
actor PasswordHasher {
  /// Requests that wait for their turn at one place.
  private struct Line {
    var queue: PasswordQueue
    /// Waiting requests by number. Resuming a request with false refuses it.
    var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
  }

  /// Requests for hashes of ingest, under nil, and of gateways, under their ids.
  private var lines: [[UInt8]?: Line]
  private var suspects = PasswordSuspects()
  /// The task that checks the queues while requests wait.
  private var tickTask: Task<Void, Never>?
  /// Hash that is compared for an unknown account, so that the response takes as long as for a known one.
  private let dummyHash: String

  private let threads = HashThreads()
  private let pace: @Sendable (Int64) -> PostFlow.Pace
  private let nowMs: @Sendable () -> Int64
  private let delegations = DelegationMeters()

  /// Creates a hasher.
  ///
  /// - Parameters:
  ///   - cores: The number of the machine's cores.
  ///   - pace: The pace of posts at a time of `nowMs`. Any thread.
  ///   - nowMs: A monotonic clock, in milliseconds. Any thread.
  init(
    cores: Int = ProcessInfo.processInfo.activeProcessorCount,
    pace: @escaping @Sendable (Int64) -> PostFlow.Pace = { _ in .quiet },
    nowMs: @escaping @Sendable () -> Int64 = { Reactor.nowMs }
  ) {
    lines = [nil: Line(queue: PasswordQueue(cores: cores))]
    self.pace = pace
    self.nowMs = nowMs
    guard let memory = HashBuffer(), let dummy = PasswordHash.make(Secrets.token(), in: memory) else {
      // Without the dummy hash, response times would reveal unknown accounts.
      fatalError("cannot allocate \(PasswordHash.memoryBytes) bytes for password hashes")
    }
    self.dummyHash = dummy
  }

  /// True if ingest's hashes run at idle priority. False for a while after other threads left hashes no core.
  var yields: Bool { threads.yields }

  /// Number of waiting requests.
  var waitingCount: Int { lines.values.reduce(0) { $0 + $1.queue.count } }

  /// Hashes a password.
  ///
  /// - Throws: `Problem.busy` if too many requests wait, the turn does not come in time, or there is no memory or
  ///   thread.
  func hash(_ password: String, for request: PasswordQueue.HashRequest) async throws -> String {
    let work = PasswordHash.work(for: password)
    if let gateway = HashingGateway.current {
      guard await begin(request, at: gateway) else { throw Problem.busy }
      switch await hash(work, at: gateway) {
      case .success(let hash): return PasswordHash.text(hash, of: work)
      case .failure(.gone): throw Problem.busy
      case .failure(.notComputed): break
      }
    }
    guard await begin(request, at: nil), let hash = await computed({ await $0.hash(work) }) ?? nil else {
      throw Problem.busy
    }
    return PasswordHash.text(hash, of: work)
  }

  /// Compares a password with a hash.
  ///
  /// - Parameters:
  ///   - hash: The account's hash. Nil for an unknown account. No password matches it.
  ///   - onStart: Called before the hash is computed. If it throws, no hash is computed.
  ///   - onPostponed: Called if the gateway did not compute the hash, so the request waits for a turn in ingest. Then
  ///     comes `onStart` again.
  /// - Returns: The result of the last `onStart`, and true if the password is right. `isRight` is nil if the hash could
  ///   not be computed.
  /// - Throws: Errors of `onStart`, or `Problem.busy` if too many requests wait or the turn does not come in time.
  func compare<Started: Sendable>(
    _ password: String, with hash: String?, for request: PasswordQueue.HashRequest,
    onStart: @Sendable () throws -> Started, onPostponed: @Sendable (Started) -> Void = { _ in }
  ) async throws -> (started: Started, isRight: Bool?) {
    // An account without a password has an empty hash.
    let known = hash.flatMap { $0.isEmpty ? nil : $0 }
    let compared = known ?? dummyHash
    let comparison = PasswordHash.comparison(of: password, with: compared)
    /// Records the result of a comparison.
    func judge(_ isSame: Bool) -> Bool {
      let isRight = isSame && known != nil
      suspects.record(isRight: isRight, from: request.network, nowMs: nowMs())
      return isRight
    }
    // Gateways compute only hashes of the current form.
    if let comparison, let gateway = HashingGateway.current {
      let started = try await begin(request, at: gateway, onStart)
      switch await self.hash(comparison.work, at: gateway) {
      case .success(let hash): return (started, judge(comparison.isSame(hash)))
      case .failure(.gone): return (started, nil)
      // Otherwise the waiting requests of a slow gateway would count as wrong passwords.
      case .failure(.notComputed): onPostponed(started)
      }
    }
    let started = try await begin(request, at: nil, onStart)
    let isSame: Bool? =
      if let comparison {
        (await computed { await $0.hash(comparison.work) } ?? nil).map(comparison.isSame)
      } else {
        await computed { await $0.run { PasswordHash.isPassword(password, of: compared, in: $0) } }
      }
    return (started, isSame.map { judge($0) })
  }

  /// Computes a hash at a gateway in the request's turn, then ends the turn.
  private func hash(
    _ work: PasswordHashWork, at gateway: HashingGateway
  ) async -> Result<[UInt8], GatewayHashes.Failure> {
    let result = await gateway.hash(work)
    end(at: gateway, usedMs: 0)
    delegations.count(result)
    return result
  }

  /// Waits for the request's turn, and calls `onStart`. Ends the turn if that throws.
  private func begin<Started: Sendable>(
    _ request: PasswordQueue.HashRequest, at gateway: HashingGateway?, _ onStart: @Sendable () throws -> Started
  ) async throws -> Started {
    guard await begin(request, at: gateway) else { throw Problem.busy }
    do { return try onStart() } catch {
      end(at: gateway, usedMs: 0)
      throw error
    }
  }

  /// Computes a value in a request's turn in ingest, then ends the turn. Returns nil if there is no memory or thread.
  private func computed<Value: Sendable>(
    _ work: (HashThreads) async -> HashThreads.Outcome<Value>?
  ) async -> Value? {
    let outcome = await work(threads)
    end(at: nil, usedMs: outcome?.usedMs ?? 0)
    return outcome?.value
  }

  /// Waits for the request's turn at a gateway, or in ingest. Returns false if the queue refuses the request. After
  /// true, call `end`.
  private func begin(_ request: PasswordQueue.HashRequest, at gateway: HashingGateway?) async -> Bool {
    let (id, nowMs) = (gateway?.id, nowMs())
    let isSuspect = suspects.contains(request.network, nowMs: nowMs)
    let entry = lines[id, default: Line(queue: PasswordQueue(cores: gateway?.parallelMax ?? 1))].queue
      .enqueue(request, isSuspect: isSuspect, nowMs: nowMs)
    if let evicted = entry.evicted { resume(evicted, at: id, false) }
    guard let number = entry.number else { return false }
    return await withCheckedContinuation { continuation in
      lines[id]?.waiting[number] = continuation
      advance()
    }
  }

  private func end(at gateway: HashingGateway?, usedMs: Int64) {
    lines[gateway?.id]?.queue.end(usedMs: usedMs, nowMs: nowMs())
    advance()
    // A gateway without requests may never come back.
    if let id = gateway?.id, lines[id]?.queue.isIdle == true { lines[id] = nil }
  }

  /// Begins and refuses the requests that are due. Schedules the next call while requests wait.
  private func advance() {
    let nowMs = nowMs()
    let ownPace = pace(nowMs)
    var nextMs: Int64?
    // A reference to the keys would make each change below copy all queues.
    for id in Array(lines.keys) {
      // The hashes of a gateway take no CPU time of ingest.
      let pace = id == nil ? ownPace : .quiet
      for number in lines[id]?.queue.expire(nowMs: nowMs) ?? [] { resume(number, at: id, false) }
      while let number = lines[id]?.queue.next(nowMs: nowMs, beside: pace) { resume(number, at: id, true) }
      guard let lineMs = lines[id]?.queue.nextMs(nowMs: nowMs, beside: pace) else { continue }
      nextMs = min(nextMs ?? lineMs, lineMs)
    }
    guard tickTask == nil, let nextMs else { return }
    tickTask = Task {
      try? await Task.sleep(for: .milliseconds(max(1, nextMs - nowMs)))
      tickTask = nil
      advance()
    }
  }

  private func resume(_ number: UInt64, at id: [UInt8]?, _ hasTurn: Bool) {
    lines[id]?.waiting.removeValue(forKey: number)?.resume(returning: hasTurn)
  }
}

/// Counters of the hashes that ingest requested from gateways.
private struct DelegationMeters: Sendable {
  private let computed = Metric.passwordHashesDelegated.counter("computed")
  private let notComputed = Metric.passwordHashesDelegated.counter("not_computed")
  private let gone = Metric.passwordHashesDelegated.counter("gone")

  func count(_ result: Result<[UInt8], GatewayHashes.Failure>) {
    switch result {
    case .success: computed.increment()
    case .failure(.notComputed): notComputed.increment()
    case .failure(.gone): gone.increment()
    }
  }
}
