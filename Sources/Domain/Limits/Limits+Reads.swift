/// Limits of database reads.
extension Limits {
  /// Rows that a quick read looks at: as many as the public list has. A read that may look at more is a scan.
  package static let quickReadRowsMax = feedEntriesMax
  /// Scans that run at once. Two, so that no block of addresses has both; with their rests they take a core at most.
  package static let scansAtOnceMax = 2
  /// Scans that wait for a place; above it 503. At 40 ms a page they are a second's work.
  package static let scansWaitingMax = 32
  /// Share of the places and of the queue for one network, as with `httpConnectionsMax`: an eighth, and at least one
  /// place.
  package static let scansNetworkShare = httpNetworkShare
  /// Share of the places and of the queue for one block of addresses (`IPAddress.block`): a half, and at least one
  /// place. An IPv6 client with a /56 has 256 networks, so the share of a network alone does not limit that client.
  package static let scansBlockShare = 2
  /// Timeout of a scan: to compare 100,000 posts with 49 values each takes half a second of a core, and twice that with
  /// the rests.
  package static let scanMs: Int64 = 3_000
  /// Timeout of a scan that waits for a place; then 503.
  package static let scanWaitMs: Int64 = 5_000
  /// Longest time with scans and no pause. Then no scan starts until all running ones have ended and the log is in the
  /// database: behind scans that overlap without end the log would never restart, and would grow without limit.
  package static let scanBusyMaxMs: Int64 = 10_000
  /// Time for which a scan works before it rests, and for which it rests, in microseconds: on two cores a login or a
  /// post gets a core within this time. A thread of a lower priority would starve while others want all cores.
  package static let scanSliceUs: Int64 = 250
  /// Instructions of SQLite's virtual machine between two checks whether a scan must end or rest: about 25 us.
  package static let scanStepsPerCheck: Int32 = 1_000
  /// Posts in one page of a list.
  package static let pagePostsMax = 1_000
  /// Posts that one page of a search looks at: some hundredths of a second. The next page goes on behind them.
  package static let searchScanMax = 5_000
  /// Depth of nested conditions of a list, as clients of the original service send them: they use two levels.
  package static let whereDepthMax = 8
  /// Values that the conditions of a list may compare with: the ids of a page's posts fit.
  package static let whereComparisonsMax = 100
  /// Latest posts, in all or of one account, among which a condition searches. Each is read: about a tenth of a second
  /// for all.
  package static let whereScanMax = 100_000
  /// Posts that a page of such a list may skip. Each is counted.
  package static let skipMax = 1_000_000
}
