import Domain
import Store
import StoreTesting
import Testing

@testable import PostgresStore

/// Groups whose first attempt has an unknown outcome, and whose second attempt finds a full disk.
@Suite("Full disks after unknown outcomes")
struct UnknownOutcomeTests {
  /// Causes of an unknown outcome, as statements of PL/pgSQL. Both leave the group stored.
  enum Loss: String, CaseIterable {
    /// The message of a server that no longer waits for its standby servers.
    case warning = "RAISE WARNING 'injected'"
    /// The end of the connection while the writer reads the earlier posts of used keys.
    case results = "PERFORM set_config('search_path', 'loss, public', false)"
  }

  /// Returns statements that create `loss.fail()`: its first call has a fault, and its second one finds a full disk.
  ///
  /// The calls count in a sequence, because a sequence keeps its value when a transaction is rolled back. With the
  /// schema `loss` in the search path, each read of a used key ends the connection.
  private func faults(first: String) -> String {
    """
    CREATE SCHEMA loss;
    CREATE SEQUENCE loss.calls;
    CREATE FUNCTION loss.disconnect() RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_terminate_backend(pg_backend_pid());
      PERFORM pg_sleep(60);
      RETURN true;
    END $$;
    CREATE VIEW loss.post_key AS SELECT * FROM public.post_key WHERE loss.disconnect();
    CREATE FUNCTION loss.fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      CASE nextval('loss.calls')
        WHEN 1 THEN \(first);
        WHEN 2 THEN RAISE EXCEPTION 'injected' USING ERRCODE = '53100';
        ELSE NULL;
      END CASE;
      RETURN NULL;
    END $$;

    """
  }

  @Test(
    "A full disk after a stored group of unknown outcome stops the writer, and no id is used twice",
    arguments: Loss.allCases)
  func stored(loss: Loss) async throws {
    let database = try TestDatabase()
    let store = try database.open()
    let account = try await store.addAccount()
    func key(_ number: Int) -> Idempotency { Idempotency(key: "key \(number)", requestHash: [UInt8(number)]) }
    let used = try await store.accepted(by: account, key: key(1)).id
    try database.sql(
      faults(first: loss.rawValue)
        + "CREATE TRIGGER fail BEFORE INSERT ON post FOR EACH STATEMENT EXECUTE FUNCTION loss.fail()")
    let posts = try [1, 2].map { number in
      NewPost(try Submission(place: "Lima", link: "example.org", latitude: nil, longitude: nil), key(number))
    }
    let error = await #expect(throws: StoreError.self) {
      try await store.accept(posts, account: account, capacity: 2)
    }
    let isUnknown = if case .unknownOutcome? = error { true } else { false }
    #expect(isUnknown, "\(String(describing: error))")
    #expect("\(try #require(store.stopReason))".contains("the outcome of the last commit is unknown: injected"))
    #expect(try database.sql("SELECT last_value FROM loss.calls") == "2")
    let rows = "SELECT count(*), max(id) FROM post"
    let stored = try database.sql(rows).split(separator: "|")
    #expect(stored.first == "2", "The first attempt is durable.")
    await #expect(throws: StoreError.self) { try await store.accepted(by: account) }
    #expect(try database.sql(rows).split(separator: "|") == stored)
    store.close()

    let next = try database.open()
    defer { next.close() }
    let repeated = try await next.accept(posts, account: account, capacity: 2).compactMap(\.accepted)
    try #require(repeated.count == 2 && repeated.allSatisfy { $0.job == nil }, "Both keys were used.")
    #expect(repeated[0].id == used && stored.last == "\(repeated[1].id.rawValue)")
    #expect(try await next.accepted(by: account).id > repeated[1].id)
  }

  @Test("A full disk after a commit that was rolled back refuses its write only, and the next write has its number")
  func rolledBack() async throws {
    let database = try TestDatabase()
    let store = try database.open()
    defer { store.close() }
    _ = try await store.addAccount()
    // The trigger runs within the commit, so the writer has sent its Sync message.
    try database.sql(
      faults(first: "PERFORM loss.disconnect()")
        + """
        CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON account DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION loss.fail()
        """)
    let error = await #expect(throws: StoreError.self) { try await store.addAccount("grace") }
    #expect(error?.isFull == true, "\(String(describing: error))")
    #expect(store.stopReason == nil)
    #expect(try database.sql("SELECT last_value FROM loss.calls") == "2")
    let grace = try await store.addAccount("grace")
    #expect(try database.sql("SELECT count(*), max(id) FROM account") == "2|\(grace.rawValue)" && grace.rawValue == 2)
  }
}
