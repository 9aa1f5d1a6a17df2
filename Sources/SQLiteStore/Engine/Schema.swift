import Domain
import GRDB

/// Tables of the database, as named migrations. Append migrations; never edit one.
///
/// The queue and the change log have no tables. The queue is the posts in state queued. The change log is the published
/// posts in the order of their `seq`. A row that changes again gets a new `seq`, so a reader of all rows above a `seq`
/// misses no row and reads none twice. A deleted post's row stays, without content and `seq`. `meta.deleted_seq` is the
/// `seq` of the latest deletion.
enum Schema {
  /// Number of migrations that this program knows.
  static var version: Int { migrator.migrations.count }

  static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 accounts, sessions, posts") { db in
      try db.execute(
        sql: """
          CREATE TABLE meta (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            epoch BLOB NOT NULL CHECK (length(epoch) = 16),  -- which history the sequence numbers belong to
            boot INTEGER NOT NULL                            -- starts of ingest; the upper 24 bits of every lease token
          ) STRICT;

          CREATE TABLE account (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            email TEXT NOT NULL UNIQUE,
            password TEXT NOT NULL,                          -- argon2id, in its own string form
            first_name TEXT NOT NULL,
            last_name TEXT NOT NULL,
            created_ms INTEGER NOT NULL
          ) STRICT;

          CREATE TABLE session (
            token_hash BLOB PRIMARY KEY,                     -- BLAKE2b-256 of the token; the token itself is nowhere
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            expires_ms INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX session_account ON session (account);

          CREATE TABLE post (
            id INTEGER PRIMARY KEY,                          -- PostID
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            place TEXT NOT NULL,
            link TEXT NOT NULL,
            state INTEGER NOT NULL,                          -- Post.State; a queued post is a job
            lat_e7 INTEGER,
            lon_e7 INTEGER,
            label TEXT,
            country TEXT,
            agreement INTEGER,                               -- Verdict.Agreement
            reason_code TEXT,                                -- why it is rejected or dead: for machines
            reason TEXT,                                     -- and for people
            seq INTEGER,                                     -- of its publication
            created_ms INTEGER NOT NULL,
            updated_ms INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,             -- of the job: failed ones,
            lease_losses INTEGER NOT NULL DEFAULT 0,         -- workers lost over it,
            due_ms INTEGER NOT NULL DEFAULT 0                -- and not before, UTC
          ) STRICT;
          CREATE INDEX post_queued ON post (id) WHERE state = 0;
          CREATE UNIQUE INDEX post_seq ON post (seq) WHERE seq IS NOT NULL;
          CREATE INDEX post_account ON post (account);       -- and by id within it: every index ends in the row's id

          CREATE TABLE idempotency (
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            key TEXT NOT NULL,
            request_hash BLOB NOT NULL,
            post INTEGER NOT NULL REFERENCES post (id) ON DELETE CASCADE,
            PRIMARY KEY (account, key)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX idempotency_post ON idempotency (post);  -- the oldest first: post ids rise with time
          """)
      try db.execute(sql: "INSERT INTO meta (one, epoch, boot) VALUES (1, randomblob(16), 0)")
    }
    migrator.registerMigration("2 how a post's text led to its place") { db in
      // Place.Match. NULL if no place was found.
      try db.execute(sql: "ALTER TABLE post ADD COLUMN place_match INTEGER")
    }
    migrator.registerMigration("3 history of failures, pause") { db in
      try db.execute(
        sql: """
          CREATE TABLE pause (
            one INTEGER PRIMARY KEY CHECK (one = 1),         -- a row while the queue is paused
            since_ms INTEGER NOT NULL
          ) STRICT;

          CREATE TABLE post_event (
            id INTEGER PRIMARY KEY,                          -- rises; the oldest go when there are too many
            post INTEGER NOT NULL REFERENCES post (id) ON DELETE CASCADE,
            at_ms INTEGER NOT NULL,
            kind INTEGER NOT NULL,                           -- PostEvent.Kind
            code TEXT NOT NULL,                              -- why: for machines
            detail TEXT NOT NULL                             -- and for people; both may be empty
          ) STRICT;
          CREATE INDEX post_event_post ON post_event (post);

          CREATE INDEX post_dead ON post (id) WHERE state = 3;
          CREATE INDEX post_dead_reason ON post (reason_code) WHERE state = 3;
          """)
    }
    migrator.registerMigration("4 the trace that a post belongs to") { db in
      // W3C Trace Context's traceparent. NULL if the request had none.
      try db.execute(sql: "ALTER TABLE post ADD COLUMN traceparent TEXT")
    }
    migrator.registerMigration("5 a post's key is its own") { db in
      // A column and not a table, so that a post with a key costs as many rows as one without.
      try db.execute(
        sql: """
          ALTER TABLE post ADD COLUMN idempotency_key TEXT;  -- NULL: none, or its time is over
          ALTER TABLE post ADD COLUMN request_hash BLOB;
          UPDATE post SET idempotency_key = idempotency.key, request_hash = idempotency.request_hash
            FROM idempotency WHERE idempotency.post = post.id;
          ALTER TABLE meta ADD COLUMN keyed_from INTEGER NOT NULL DEFAULT 0;  -- posts below it have no key any more
          UPDATE meta SET keyed_from = coalesce(
            (SELECT min(post) FROM idempotency), (SELECT max(id) + 1 FROM post), 0);
          DROP TABLE idempotency;
          CREATE UNIQUE INDEX post_idempotency ON post (account, idempotency_key) WHERE idempotency_key IS NOT NULL;
          """)
    }
    migrator.registerMigration("6 the number of the latest deletion") { db in
      // The list has this sequence number if nothing was published since. No row has it.
      try db.execute(sql: "ALTER TABLE meta ADD COLUMN deleted_seq INTEGER NOT NULL DEFAULT 0")
    }
    migrator.registerMigration("7 when a session began, what is no link") { db in
      try db.execute(
        sql: """
          ALTER TABLE session ADD COLUMN created_ms INTEGER NOT NULL DEFAULT 0;
          UPDATE session SET created_ms = max(0, expires_ms - \(Limits.sessionDays) * 86400000);
          -- What a client of the original service gave as its link and is none: only it is shown it; else NULL.
          ALTER TABLE post ADD COLUMN link_text TEXT;
          """)
    }
    migrator.registerMigration("8 accounts that are disabled, deleted; whence sessions are; wrong passwords") { db in
      try db.execute(
        sql: """
          ALTER TABLE session ADD COLUMN address TEXT NOT NULL DEFAULT '';  -- of the client when it logged in,
          ALTER TABLE session ADD COLUMN agent TEXT NOT NULL DEFAULT '';    -- and what it called itself

          CREATE TABLE login_count (
            scope INTEGER NOT NULL,                            -- LoginThrottle.Scope
            digest BLOB NOT NULL,                              -- of whom it counts
            tries INTEGER NOT NULL,
            last_ms INTEGER NOT NULL,
            PRIMARY KEY (scope, digest)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX login_count_last ON login_count (last_ms);

          ALTER TABLE account ADD COLUMN disabled_ms INTEGER;  -- since when nobody logs in to it; NULL: not so
          ALTER TABLE account ADD COLUMN closed_ms INTEGER;    -- deleted by its owner then; only its number is left,
          CREATE INDEX account_closing ON account (id)         -- and, while some of its posts are, its name
            WHERE closed_ms IS NOT NULL AND first_name <> '';
          """)
    }
    migrator.registerMigration("9 identities of providers") { db in
      try db.execute(
        sql: """
          CREATE TABLE identity (
            issuer TEXT NOT NULL,                              -- the provider,
            subject TEXT NOT NULL,                             -- and its name for somebody who logs in to the account
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            created_ms INTEGER NOT NULL,
            PRIMARY KEY (issuer, subject)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX identity_account ON identity (account);
          """)
    }
    migrator.registerMigration("10 operators") { db in
      try db.execute(sql: "ALTER TABLE account ADD COLUMN is_operator INTEGER NOT NULL DEFAULT 0")
    }
    migrator.registerMigration("11 confirmed email addresses, tokens in mails") { db in
      try db.execute(
        sql: """
          ALTER TABLE account ADD COLUMN email_confirmed INTEGER NOT NULL DEFAULT 1;  -- 1 for accounts before this

          CREATE TABLE mail_token (
            token_hash BLOB PRIMARY KEY,                       -- BLAKE2b-256 of the token; the token itself is nowhere
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            purpose INTEGER NOT NULL,                          -- MailToken.Purpose
            expires_ms INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX mail_token_account ON mail_token (account, purpose, expires_ms);
          CREATE INDEX mail_token_expires ON mail_token (expires_ms);
          """)
    }
    return migrator
  }()
}
