/// Of reads of the database.
extension Limits {
  /// Rows that a quick read looks at: as many as the list that everybody sees. A read that may look at more is a scan.
  package static let quickReadRowsMax = feedEntriesMax
  /// Scans that run at once. Two, so that no network has both; with their rests they take a core at most.
  package static let scansAtOnceMax = 2
  /// Scans that wait for a place; above it 503. At 40 ms a page they are a second's work.
  package static let scansWaitingMax = 32
  /// The part of the places and of the queue that one network may have, as of `httpConnectionsMax`: an eighth, and one
  /// place at least.
  package static let scansNetworkShare = httpNetworkShare
  /// How long a scan may take: 100,000 posts that are compared with 49 values each take half a second of a core, and
  /// twice that with the rests.
  package static let scanMs: Int64 = 3_000
  /// How long a scan may wait for a place; then 503.
  package static let scanWaitMs: Int64 = 5_000
  /// After so long a time with scans, none starts until those that run have ended and the log is in the database:
  /// behind scans that overlap without end the log would never begin anew, and would grow without end.
  package static let scanStretchMs: Int64 = 10_000
  /// How long a scan works before it rests, and how long it rests, in microseconds: on two cores whoever is wanted for
  /// a login or a post finds one within this time. A thread of a lower priority would starve where others want all
  /// cores.
  package static let scanTurnUs: Int64 = 1_000
  /// Instructions of SQLite's virtual machine between two looks whether a scan is to end or to rest: some 25 us.
  package static let scanStepsPerLook: Int32 = 1_000
}
