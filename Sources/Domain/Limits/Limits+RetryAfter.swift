/// Pauses that services ask of their clients by `Retry-After`, and time for a graceful shutdown.
extension Limits {
  /// Doublings of a pause, after which it stays as long: 2^30 ms are twelve days, above every cap and far below an
  /// overflow.
  package static let pauseDoublingsMax = 30
  /// Retry-After of a client with too many connections, in seconds: one that it closes is free within this time.
  package static let retryConnectionSeconds = 1
  /// Retry-After of what passes within moments, in seconds: a full queue, a search too many, a feed without a list.
  package static let retrySoonSeconds = 2
  /// Retry-After of what passes with the restart of a service, in seconds: no worker, no place for a stream, a store
  /// that has stopped.
  package static let retryRestartSeconds = 5
  /// Retry-After of a provider of identities that does not answer, in seconds.
  package static let retryProviderSeconds = 10
  /// Retry-After of what waits for the operator or for a long queue, in seconds.
  package static let retryOperatorSeconds = 30
  /// Retry-After of a full disk and of an unknown fault, in seconds: somebody has to see to it.
  package static let retryFaultSeconds = 60
  /// Time for the graceful shutdown of a process, in milliseconds; then what still runs is cancelled. Docker kills ten
  /// seconds after its first signal, and a clean stop may still rewrite the database.
  package static let shutdownMs: Int64 = 4_000
}
