import Domain

/// Statements of an inspection. Each works on every version of PostgreSQL from 14, and for a role without any rights.
enum InspectionStatement {
  static let server = Statement(
    once: """
      SELECT pg_backend_pid(), current_setting('server_version'), current_setting('server_encoding'),
        session_user::text, current_database()::text,
        (SELECT setting::int8 FROM pg_settings WHERE name = 'statement_timeout')
      """)

  /// Values are in the settings' own units. A version without a setting has no row for it.
  static let settings = Statement(once: "SELECT name, setting FROM pg_settings WHERE name = ANY($1::text[])")

  /// Defaults of the role and the database for one setting, those with precedence first.
  static let roleDefault = Statement(
    once: """
      SELECT substr(entry, length($1::text) + 2)
      FROM pg_db_role_setting, unnest(setconfig) AS entry
      WHERE setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = session_user))
        AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
        AND starts_with(entry, $1::text || '=')
      ORDER BY setrole = 0, setdatabase = 0 LIMIT 1
      """)

  static let schema = Statement(
    once: "SELECT current_schema()::text, coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)")

  /// Tables, the rights on them, and the role that has the rights.
  static let tables = Statement(
    once: """
      SELECT name, relation IS NOT NULL,
        ARRAY_TO_STRING(ARRAY(
          SELECT privilege FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
          WHERE NOT has_table_privilege(relation, privilege)), ','),
        coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = relation), false), current_user::text
      FROM unnest($1::text[]) WITH ORDINALITY AS needed (name, number), to_regclass(name) AS relation ORDER BY number
      """)

  static let version = Statement(
    once: "SELECT number, readable_by FROM migration ORDER BY number DESC LIMIT 1")

  static let receivers = Statement(
    once: "SELECT coalesce(application_name, ''), state, sync_state FROM pg_stat_replication ORDER BY 1, pid")

  /// Other sessions' states, types and times are NULL for a role that may not see them. A commit that waits for a
  /// standby is not in the result: its end by an operator would leave the commit on one server only.
  static let oldestSnapshot = Statement(
    once: """
      SELECT pid, coalesce(application_name, ''), coalesce(usename, '')::text,
        extract(epoch FROM clock_timestamp() - xact_start)::int8, age(backend_xmin)::int8
      FROM pg_stat_activity
      WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
        AND backend_type IS DISTINCT FROM 'autovacuum worker' AND wait_event IS DISTINCT FROM 'SyncRep'
        AND (datid IS NULL OR datname = current_database())
      ORDER BY age(backend_xmin) DESC, xact_start LIMIT 1
      """)

  static let idleTransactions = Statement(
    once: """
      SELECT pid, coalesce(application_name, ''), coalesce(usename, '')::text,
        extract(epoch FROM clock_timestamp() - state_change)::int8, coalesce(age(backend_xmin)::int8, 0)
      FROM pg_stat_activity
      WHERE starts_with(state, 'idle in transaction') AND datname = current_database()
      ORDER BY state_change LIMIT $1::int8
      """)

  static let slots = Statement(
    once: """
      SELECT slot_name::text, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::int8 AS retained,
        coalesce(age(xmin)::int8, 0)
      FROM pg_replication_slots WHERE NOT active AND (restart_lsn IS NOT NULL OR xmin IS NOT NULL)
      ORDER BY retained DESC, slot_name LIMIT $1::int8
      """)

  static let preparedTransactions = Statement(
    once: """
      SELECT gid, owner::text, extract(epoch FROM clock_timestamp() - prepared)::int8, age(transaction)::int8
      FROM pg_prepared_xacts WHERE database = current_database() ORDER BY prepared LIMIT $1::int8
      """)

  /// Limits of sessions, and the sessions that count. -1 stands for no limit. Superusers have no limit of their role.
  static let sessions = Statement(
    once: """
      WITH client AS (
        SELECT usename, datname FROM pg_stat_activity
        WHERE datid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend'
          AND pid <> pg_backend_pid()
      )
      SELECT pg_has_role(session_user, 'pg_read_all_stats', 'USAGE'),
        current_setting('max_connections')::int8 - current_setting('superuser_reserved_connections')::int8
          - coalesce(current_setting('reserved_connections', true)::int8, 0),
        (SELECT CASE WHEN rolsuper THEN -1 ELSE rolconnlimit END FROM pg_roles WHERE rolname = session_user)::int8,
        (SELECT datconnlimit FROM pg_database WHERE datname = current_database())::int8,
        count(*), count(*) FILTER (WHERE usename = session_user), count(*) FILTER (WHERE datname = current_database()),
        count(*) FILTER (WHERE usename = session_user AND datname = current_database())
      FROM client
      """)

  /// Time of the server in microseconds since 1970.
  static let clock = Statement(once: "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8")
}
