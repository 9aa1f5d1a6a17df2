import Logging
import PostgresServer

@testable import PostgresStore

/// Triggers that fail statements and commits, as conflicts of other sessions would.
enum InjectedFaults {
  /// Creates a database with the store's tables and the triggers.
  static func newDatabase(options: [String: String]) throws -> String {
    let server = try PostgresServer.shared()
    let name = try server.createDatabase(options: options)
    try Schema.prepare(PostgresAddress(server.url(name), passwordFile: nil))
    _ = try server.sql(triggers, in: name)
    return name
  }

  /// Every third transaction may fail at one of its statements, and another third at its commit. Each attempt is a new
  /// transaction, so a repeated group succeeds after a few attempts.
  private static let triggers = """
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF txid_current() % 3 = TG_ARGV[0]::int AND random() < 0.5 THEN
        RAISE EXCEPTION 'injected' USING ERRCODE = CASE WHEN random() < 0.5 THEN '40001' ELSE '40P01' END;
      END IF;
      RETURN NULL;
    END $$;
    DO $$
    DECLARE t text;
    BEGIN
      FOREACH t IN ARRAY ARRAY[
        'account', 'attempt', 'commit_marker', 'identity', 'login_count', 'mail_token', 'meta', 'outcome', 'pause',
        'post', 'post_event', 'post_key', 'session'] LOOP
        EXECUTE format('CREATE TRIGGER fail AFTER INSERT OR UPDATE OR DELETE ON %I EXECUTE FUNCTION fail(0)', t);
        EXECUTE format(
          'CREATE CONSTRAINT TRIGGER fail_commit AFTER INSERT OR UPDATE OR DELETE ON %I DEFERRABLE INITIALLY DEFERRED '
          'FOR EACH ROW EXECUTE FUNCTION fail(1)', t);
      END LOOP;
    END $$;
    """
}
