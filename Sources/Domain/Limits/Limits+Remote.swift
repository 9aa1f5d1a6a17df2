/// Limits of requests to remote geocoding providers.
extension Limits {
  /// Default rate of requests to remote providers, per second, for the whole deployment. Public providers allow it.
  package static let remotePerSecond = 1.0
  /// Range of the setting for `remotePerSecond`: one in 100 seconds, and as many as an own server may accept.
  package static let remotePerSecondRange = 0.01...100.0
  /// Maximum number of jobs that wait for a remote permit. Further ones use the gazetteer's result.
  package static let remoteWaitingMax = 100
  /// Longest expected wait of a lookup for a remote permit, in milliseconds. If it would be longer, the lookup uses the
  /// gazetteer's result immediately.
  package static let remoteLookupWaitMs: Int64 = 2_500
  /// Timeout of the provider for a lookup, in milliseconds. Together with the wait for the permit it is less than
  /// `lookupTimeoutMs`.
  package static let remoteLookupMs: Int64 = 2_000
  /// Longest interval between two requests that a worker's provider may ask for, in milliseconds.
  package static let remoteIntervalMaxMs: Int64 = 3_600_000
}
