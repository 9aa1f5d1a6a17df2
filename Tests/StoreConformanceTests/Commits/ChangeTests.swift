import Domain
import Store
import StoreTesting
import Synchronization
import Testing

/// Records changes and completions of a store in their order.
private final class Record: Sendable {
  private let lines = Mutex<[String]>([])
  private let numbers = Mutex<[UInt64]>([])

  /// The sequence numbers of all changes of the list.
  var seqs: [UInt64] { numbers.withLock { $0 } }

  init(_ store: any IngestStore) {
    store.changes.observe { [weak self] change in
      if case .list(let changes) = change { self?.numbers.withLock { $0 += changes.map(\.seq) } }
      let line =
        switch change {
        case .list(let changes): "list \(changes.count)"
        case .unlisted(let posts): "unlisted \(posts.count)"
        case .settled(let posts): "settled \(posts.count)"
        case .paused(let sinceMs): "paused \(sinceMs ?? 0)"
        case .account(let account): "account \(account.rawValue)"
        case .session(let tokenHash): "session \(tokenHash)"
        }
      self?.add(line)
    }
  }

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  /// Returns the lines since the last call.
  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

@Suite("Changes and completions")
struct ChangeTests {
  @Test(
    "Completions come in the order of the writes, each after its changes, also if one write fails",
    arguments: StoreKind.allCases)
  func order(kind: StoreKind) async throws {
    let store = try StorePlace(kind).open()
    let account = try await store.addAccount()
    let published = try await store.published(2, by: account)
    let queued = [try await store.accepted(by: account).id, try await store.accepted(by: account).id]
    let submission = try Submission(place: "Lima", link: "example.org", latitude: nil, longitude: nil)
    let record = Record(store)
    let writes: [PostWrite] = [
      .settle([SettlementRecord(queued[0], .verdict(.at(1)))], unixMs: 1),
      .delete(queued[1], account: account, unixMs: 1),
      .accept([NewPost(submission, nil)], account: AccountID(rawValue: 404), capacity: 1, unixMs: 1),
      .edit(published[0], account: account, submission, published: .rome, unixMs: 1), .pause(sinceMs: 5),
      .delete(published[1], account: account, unixMs: 1),
      .changeProfile(account, try ProfileChange(email: nil, firstName: "Augusta", lastName: nil), unixMs: 1),
    ]
    let gate = try await Gate(store)
    let (ends, ended) = AsyncStream.makeStream(of: Void.self)
    for (index, write) in writes.enumerated() {
      store.submit(
        write,
        completion: CommitCompletion { result in
          record.add((try? result.get()) == nil ? "\(index) failed" : "\(index)")
          ended.yield()
        })
    }
    gate.open()
    for await _ in ends.prefix(writes.count) {}
    #expect(
      record.take() == [
        "list 1", "settled 1", "0", "unlisted 1", "1", "2 failed", "list 1", "3", "paused 5", "4", "list 1", "5",
        "account \(account.rawValue)", "list 2", "6",
      ])
    #expect(record.seqs == record.seqs.sorted() && Set(record.seqs).count == 5)
    #expect(try store.feed().seq == record.seqs.last)
  }

  @Test(
    "Account changes and ended sessions are reported before the call returns", arguments: StoreKind.allCases
  )
  func accounts(kind: StoreKind) async throws {
    let store = try StorePlace(kind).open()
    let ada = try await store.addAccount()
    for token in 1...3 {
      try await store.addSession(tokenHash: [UInt8(token)], account: ada, unixMs: 1, expiresMs: 1_000)
    }
    let record = Record(store)
    let own = "account \(ada.rawValue)"
    #expect(try await store.endSessions(.token(hash: [1])))
    #expect(record.take() == ["session [1]"])
    #expect(try await store.endSessions(.one(SessionID(tokenHash: [2]), of: ada)))
    #expect(record.take() == [own])
    #expect(try await store.endSessions(.all(of: ada, except: nil)))
    #expect(record.take() == [own])
    #expect(try await store.changePassword(of: ada, "another", from: "hash of ada"))
    #expect(record.take() == [own])
    #expect(try await !store.changePassword(of: ada, "another", from: "hash of ada"))
    #expect(record.take() == [])
    for change in [AccountChange.disabled(sinceMs: 1), .enabled, .isOperator(true)] {
      try await store.set(ada, change)
      #expect(record.take() == [own])
    }
    #expect(try await store.close(ada, unixMs: 9))
    #expect(record.take() == [own])
  }

  @Test(
    "Settlements report only the posts that left the queue",
    arguments: StoreKind.allCases)
  func settled(kind: StoreKind) async throws {
    let store = try StorePlace(kind).open()
    let ada = try await store.addAccount()
    var queued: [PostID] = []
    for _ in 0..<5 { queued.append(try await store.accepted(by: ada).id) }
    let deleted = try await store.accepted(by: ada).id
    #expect(try await store.delete(deleted, of: ada, unixMs: 1) == .unlisted)
    let record = Record(store)
    let reason = Verdict.Reason(code: "down", detail: "try again")
    let result = try await store.settledAll([
      (queued[0], .verdict(.at(1))), (queued[1], .verdict(.rejected(reason))), (queued[2], .dead(reason, attempts: 1)),
      (queued[3], .retry(attempts: 1, pauseMs: 5, reason: reason)), (queued[4], .leaseLost),
      (deleted, .dead(reason, attempts: 1)),
    ])
    #expect(result.notQueued == [deleted])
    #expect(record.take() == ["list 1", "settled 3"])
    _ = try await store.settledAll([(queued[3], .leaseLost)])
    #expect(record.take() == [])
  }

  @Test(
    "Erasing an account reports its listed posts as removed and its other posts as unlisted",
    arguments: StoreKind.allCases)
  func erasure(kind: StoreKind) async throws {
    let store = try StorePlace(kind).open()
    let ada = try await store.addAccount()
    _ = try await store.published(2, by: ada)
    _ = try await store.accepted(by: ada)
    #expect(try await store.close(ada, unixMs: 9))
    let record = Record(store)
    #expect(try await store.erasePosts(of: ada, after: nil, unixMs: 9).next == nil)
    #expect(record.take() == ["list 2", "unlisted 1"])
  }
}
