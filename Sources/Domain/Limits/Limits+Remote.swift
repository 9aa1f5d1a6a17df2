/// Limits of requests to remote geocoding providers.
extension Limits {
  /// Default rate of requests to remote providers, per second, for the whole deployment. Public providers allow it.
  package static let remotePerSecond = 1.0
  /// Range of the setting for `remotePerSecond`: from one request in 100 seconds to the rate of an operator's own
  /// provider.
  package static let remotePerSecondRange = 0.01...100.0
  /// Maximum number of jobs that wait for a remote permit. Further jobs use the gazetteer's result.
  package static let remoteWaitingMax = 100
  /// Longest expected wait of a lookup for a remote permit, in milliseconds. With a longer expected wait, the lookup
  /// uses the gazetteer's result immediately.
  package static let remoteLookupWaitMs: Int64 = 2_500
  /// Timeout of a provider's response for a lookup, in milliseconds. Together with the wait for the permit it is less
  /// than `lookupTimeoutMs`.
  package static let remoteLookupMs: Int64 = 2_000
  /// Longest interval between two requests that a worker's provider may ask for, in milliseconds.
  package static let remoteIntervalMaxMs: Int64 = 3_600_000
}
