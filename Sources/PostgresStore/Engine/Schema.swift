import Domain
import Store

/// Tables of the database, as numbered migrations. Append migrations; never edit one.
///
/// A post is one row of `post`, which is written once, and one row of `outcome`, which is written when its geocoding
/// ends. A post without an outcome is queued. Neither the queue nor the list has a table, so no table has rows that
/// come and go with each post. Such a table would grow without limit while any session holds an old snapshot.
///
/// Texts that are compared have the collation "C", the order of SQLite. Indices on them also survive an upgrade of the
/// operating system's locales.
enum Schema {
  /// A migration. Programs of the version before must be able to use the migrated database, so that leader and standby
  /// can be upgraded one after the other: add tables, columns and indices first, and remove old ones a version later.
  struct Migration {
    let number: Int
    /// Lowest migration that a program must know to use the database.
    let readableBy: Int
    let statements: [String]
  }

  /// Number of the latest migration that this program knows.
  static var version: Int { migrations.count }

  static let migrations = [
    Migration(
      number: 1, readableBy: 1,
      statements: [
        """
        CREATE TABLE leader (
          one integer PRIMARY KEY CHECK (one = 1),
          term bigint NOT NULL                   -- starts of ingest; each transaction locks the row for its term
        )
        """,
        """
        CREATE TABLE leader_beat (
          one integer PRIMARY KEY CHECK (one = 1),
          term bigint NOT NULL,                  -- the leader's term
          beat bigint NOT NULL,                  -- rises every second while the leader lives
          is_held boolean NOT NULL               -- false after a graceful shutdown of the leader
        )
        """,
        """
        CREATE TABLE meta (
          one integer PRIMARY KEY CHECK (one = 1),
          epoch bytea NOT NULL CHECK (length(epoch) = 16),
          deleted_seq bigint NOT NULL,           -- sequence number of the latest deletion from the list
          queued_from bigint NOT NULL            -- posts below are not queued
        )
        """,
        """
        CREATE TABLE account (
          id bigint PRIMARY KEY,
          email text COLLATE "C" NOT NULL UNIQUE,
          password text NOT NULL,                -- argon2id in its string form; empty for none
          first_name text COLLATE "C" NOT NULL,
          last_name text COLLATE "C" NOT NULL,
          created_ms bigint NOT NULL,
          disabled_ms bigint,
          closed_ms bigint,
          is_operator boolean NOT NULL DEFAULT false
        )
        """,
        "CREATE INDEX account_closing ON account (id) WHERE closed_ms IS NOT NULL AND first_name <> ''",
        """
        CREATE TABLE session (
          token_hash bytea PRIMARY KEY,          -- BLAKE2b-256 of the token
          account bigint NOT NULL,
          created_ms bigint NOT NULL,
          expires_ms bigint NOT NULL,
          address text NOT NULL,
          agent text NOT NULL
        )
        """,
        "CREATE INDEX session_account ON session (account)",
        """
        CREATE TABLE identity (
          issuer text COLLATE "C" NOT NULL,
          subject text COLLATE "C" NOT NULL,
          account bigint NOT NULL,
          created_ms bigint NOT NULL,
          PRIMARY KEY (issuer, subject)
        )
        """,
        "CREATE INDEX identity_account ON identity (account)",
        """
        CREATE TABLE login_count (
          scope smallint NOT NULL,               -- LoginThrottle.Scope
          digest bytea NOT NULL,
          tries integer NOT NULL,
          last_ms bigint NOT NULL,
          PRIMARY KEY (scope, digest)
        )
        """,
        "CREATE INDEX login_count_last ON login_count (last_ms)",
        """
        CREATE TABLE pause (
          one integer PRIMARY KEY CHECK (one = 1), -- a row while the queue is paused
          since_ms bigint NOT NULL
        )
        """,
        """
        CREATE TABLE post (
          id bigint PRIMARY KEY,                 -- PostID
          account bigint NOT NULL,
          place text COLLATE "C" NOT NULL,
          link text COLLATE "C" NOT NULL,
          link_text text COLLATE "C",
          lat_e7 integer,                        -- coordinates of the client
          lon_e7 integer,
          created_ms bigint NOT NULL,
          traceparent text,
          commit_number bigint NOT NULL          -- commit that wrote the row
        )
        """,
        "CREATE INDEX post_account ON post (account, id)",
        """
        CREATE TABLE post_key (
          account bigint NOT NULL,
          key text COLLATE "C" NOT NULL,         -- idempotency key
          request_hash bytea NOT NULL,
          post bigint NOT NULL,
          PRIMARY KEY (account, key)
        )
        """,
        "CREATE INDEX post_key_post ON post_key (post)",
        """
        CREATE TABLE outcome (
          id bigint PRIMARY KEY,                 -- PostID: the first outcome of a post stays
          state smallint NOT NULL,               -- Post.State, never queued
          lat_e7 integer,
          lon_e7 integer,
          label text,
          country text COLLATE "C",
          agreement smallint,                    -- Verdict.Agreement
          place_match smallint,                  -- Place.Match
          reason_code text COLLATE "C",
          reason text,
          seq bigint,                            -- of a published post
          updated_ms bigint NOT NULL,
          commit_number bigint NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX outcome_seq ON outcome (seq) WHERE seq IS NOT NULL",
        "CREATE INDEX outcome_dead ON outcome (id) WHERE state = 3",
        "CREATE INDEX outcome_dead_reason ON outcome (reason_code, id) WHERE state = 3",
        """
        CREATE TABLE attempt (
          id bigint PRIMARY KEY,                 -- PostID of a post with failures
          attempts integer NOT NULL,
          lease_losses integer NOT NULL,
          due_ms bigint NOT NULL,                -- time of the next attempt
          queued_ms bigint                       -- time at which an operator queued the post again
        )
        """,
        """
        CREATE TABLE post_event (
          id bigint PRIMARY KEY,
          post bigint NOT NULL,
          at_ms bigint NOT NULL,
          kind smallint NOT NULL,                -- PostEvent.Kind
          code text NOT NULL,
          detail text NOT NULL
        )
        """,
        "CREATE INDEX post_event_post ON post_event (post, id)",
        """
        CREATE TABLE commit_marker (
          number bigint PRIMARY KEY              -- commits whose outcome the tables do not show
        )
        """,
        "INSERT INTO leader (one, term) VALUES (1, 0)",
        "INSERT INTO leader_beat (one, term, beat, is_held) VALUES (1, 0, 0, false)",
      ]),
    Migration(
      number: 2, readableBy: 1,
      statements: [
        // Accounts that exist before this migration, and those of a program of the version before, count as confirmed.
        "ALTER TABLE account ADD COLUMN email_confirmed boolean NOT NULL DEFAULT true",
        """
        CREATE TABLE mail_token (
          token_hash bytea PRIMARY KEY,          -- BLAKE2b-256 of the token
          account bigint NOT NULL,
          purpose smallint NOT NULL,             -- MailToken.Purpose
          expires_ms bigint NOT NULL
        )
        """,
        "CREATE INDEX mail_token_account ON mail_token (account, purpose, expires_ms)",
        "CREATE INDEX mail_token_expires ON mail_token (expires_ms)",
      ]),
  ]
}

extension Schema {
  /// Creates or migrates the tables of a database, and checks the role's rights on them. Blocks on the network.
  ///
  /// - Parameter primary: The order of the servers. A server with an error comes last in the next attempt.
  /// - Throws: `StoreError.unavailable`, which may be retried, and `.unusable`, which may not.
  static func prepare(_ address: PostgresAddress, primary: PrimaryServer = PrimaryServer()) throws(StoreError) {
    do {
      let connection = try PostgresConnector(address: address, role: .writer, primary: primary).connect()
      do {
        try migrate(connection, newEpoch: .random())
        try RightsState.check(connection)
      } catch let error as PostgresError {
        primary.moveLast(connection.host)
        throw error
      }
    } catch {
      throw (error as? StoreError) ?? StoreError(read: error)
    }
  }

  /// Creates or migrates the tables. Several processes may call this at the same time.
  ///
  /// - Parameter newEpoch: Epoch of a new database.
  /// - Throws: `StoreError.unusable` for a database of a newer program. `PostgresError`.
  static func migrate(_ connection: PostgresConnection, newEpoch: Epoch) throws {
    // A dump of the database holds locks on all tables, so an unchanged schema must need none.
    if try isCurrent(connection) { return }
    try createMigrationTable(connection)
    // READ COMMITTED, so that a process that has waited for the lock sees the other process's migrations.
    try connection.block(
      "BEGIN ISOLATION LEVEL READ COMMITTED", within: .milliseconds(Limits.postgresMigrationMs)
    ) { connection in
      // The lock keeps other processes from migrating at the same time.
      _ = try connection.query(Statement(once: "LOCK TABLE migration IN SHARE ROW EXCLUSIVE MODE"))
      let found = try number(connection)
      for migration in migrations.dropFirst(found) {
        for statement in migration.statements { _ = try connection.query(Statement(once: statement)) }
        _ = try connection.query(
          Statement(once: "INSERT INTO migration (number, readable_by) VALUES ($1::int8, $2::int8)"),
          .int8(Int64(migration.number)), .int8(Int64(migration.readableBy)))
        if migration.number == 1 {
          _ = try connection.query(
            Statement(
              once: """
                INSERT INTO meta (one, epoch, deleted_seq, queued_from) VALUES (1, $1::bytea, 0, 0)
                """), .bytes(newEpoch.bytes))
        }
      }
    }
  }

  /// Returns true if the database has all migrations of this program.
  private static func isCurrent(_ connection: PostgresConnection) throws -> Bool {
    try connection.transaction(within: .milliseconds(Limits.postgresCommitMs)) { connection in
      let exists = try connection.query(Statement(once: "SELECT to_regclass('migration') IS NOT NULL")).first?.bool(0)
      return exists == true ? try number(connection) >= version : false
    }
  }

  /// Returns the number of the latest migration, or 0. Call this within a transaction.
  ///
  /// - Throws: `StoreError.unusable` for a database that only newer programs can use.
  private static func number(_ connection: PostgresConnection) throws -> Int {
    let latest = try connection.query(
      Statement(once: "SELECT number, readable_by FROM migration ORDER BY number DESC LIMIT 1")
    ).first
    guard latest?.int(1) ?? 0 <= Int64(version) else {
      throw StoreError.unusable(
        path: connection.server,
        reason: "its database was upgraded by a newer version of onthemap. Run that version, or restore a backup")
    }
    return Int(latest?.int(0) ?? 0)
  }

  private static func createMigrationTable(_ connection: PostgresConnection) throws {
    let exists = Statement(once: "SELECT to_regclass('migration') IS NOT NULL")
    let isThere = try connection.transaction(within: .milliseconds(Limits.postgresCommitMs)) {
      try $0.query(exists).first?.bool(0) == true
    }
    guard !isThere else { return }
    do {
      try connection.transaction(within: .milliseconds(Limits.postgresMigrationMs)) { connection in
        _ = try connection.query(
          Statement(once: "CREATE TABLE migration (number bigint PRIMARY KEY, readable_by bigint NOT NULL)"))
      }
    } catch let error as PostgresError where ["42P07", "23505"].contains(error.state) {
      // Another process has created the table at the same time.
    }
  }
}
