/// Limits of requests to remote geocoding providers.
extension Limits {
  /// Requests a second to remote providers, of the whole deployment. The default, which public providers allow.
  package static let remotePerSecond = 1.0
  /// Range of the setting for `remotePerSecond`: one in 100 seconds, and as many as one's own server may take.
  package static let remotePerSecondRange = 0.01...100.0
  /// Jobs that wait for a permit to ask a remote provider; further ones take the gazetteer's answer.
  package static let remoteWaitingMax = 100
  /// Wait for a permit that a lookup may expect. If it would be longer, the lookup takes the gazetteer's answer at
  /// once.
  package static let remoteLookupWaitMs: Int64 = 2_500
  /// Timeout of the provider for a lookup: with the wait for the permit, less than `lookupTimeoutMs`.
  package static let remoteLookupMs: Int64 = 2_000
  /// Longest time between two requests that a worker's provider may ask for.
  package static let remoteIntervalMaxMs: Int64 = 3_600_000
}
