/// Limits of requests to remote geocoding providers.
extension Limits {
  /// Requests a second to remote providers, of the whole deployment, where nothing else is set: what public ones allow.
  package static let remotePerSecond = 1.0
  /// The least and the most that may be set: one in 100 seconds, and as many as a server of one's own may take.
  package static let remotePerSecondRange = 0.01...100.0
  /// Jobs that wait for leave to ask a remote provider; further ones take the gazetteer's answer.
  package static let remoteWaitingMax = 100
  /// How long a look-up may expect to wait for that leave; behind more, it takes the gazetteer's answer at once.
  package static let remoteLookupWaitMs: Int64 = 2_500
  /// How long a look-up waits for the provider itself: with the wait before, less than `lookupTimeoutMs`.
  package static let remoteLookupMs: Int64 = 2_000
  /// Longest time between two requests that a worker's provider may ask for.
  package static let remoteIntervalMaxMs: Int64 = 3_600_000
}
