/// Pauses that services send to clients in `Retry-After`, and the time for a graceful shutdown.
extension Limits {
  /// Number of doublings after which a pause stops growing. 2^30 ms are twelve days, above every cap and far below an
  /// overflow.
  package static let pauseDoublingsMax = 30
  /// Retry-After for a client with too many connections, in seconds. A connection that the client closes is free within
  /// this time.
  package static let retryConnectionSeconds = 1
  /// Retry-After for conditions that pass within moments, in seconds: a full queue, too many searches, a feed without a
  /// list.
  package static let retrySoonSeconds = 2
  /// Retry-After for conditions that pass with the restart of a service, in seconds. Examples are a missing worker,
  /// a stopped store and a failover of the database.
  package static let retryRestartSeconds = 5
  /// Retry-After for an identity provider that does not respond, in seconds.
  package static let retryProviderSeconds = 10
  /// Retry-After for conditions that need the operator or come from a long queue, in seconds.
  package static let retryOperatorSeconds = 30
  /// Retry-After for a full disk and for an unknown fault, in seconds. The operator has to repair the fault.
  package static let retryFaultSeconds = 60
  /// Time for the graceful shutdown of a process, in milliseconds. Work that still runs then is cancelled. Docker kills
  /// the process ten seconds after its first signal, and a graceful shutdown may still rewrite the database.
  package static let shutdownMs: Int64 = 4_000
}
