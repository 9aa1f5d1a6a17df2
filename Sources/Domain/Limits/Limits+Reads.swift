/// Limits of database reads.
extension Limits {
  /// Maximum number of rows that a quick read examines: the length of the public list. A read that may examine more is
  /// a scan.
  package static let quickReadRowsMax = feedEntriesMax
  /// Maximum number of parallel scans. With two, no block of addresses has all of them. Each rests half of the time, so
  /// the two take one core at most.
  package static let scansAtOnceMax = 2
  /// Maximum number of scans that wait for a slot. Above it, scans get 503. At 40 ms per page they are a second's work.
  package static let scansWaitingMax = 32
  /// Divisor of the slots and of the queue that one network may use, as with `httpConnectionsMax`: an eighth, and at
  /// least one slot.
  package static let scansNetworkShare = httpNetworkShare
  /// Divisor of the slots and of the queue that one block of addresses (`IPAddress.block`) may use: a half, and at
  /// least one slot. An IPv6 client with a /56 has 256 networks, so the share of a network alone does not limit that
  /// client.
  package static let scansBlockShare = 2
  /// Timeout of a scan, in milliseconds. Comparing 100,000 posts with 49 values each takes half a second of a core, and
  /// twice that with the rests.
  package static let scanMs: Int64 = 3_000
  /// Timeout of a scan that waits for a slot, in milliseconds. The scan then gets 503.
  package static let scanWaitMs: Int64 = 5_000
  /// Longest time with scans and no pause, in milliseconds. After it, no scan starts until all running ones have ended
  /// and the log is in the database. Behind scans that overlap without end the log would never restart, and would grow
  /// without limit.
  package static let scanBusyMaxMs: Int64 = 10_000
  /// Time for which a scan works and then rests, in microseconds. On two cores a login or a post gets a core within
  /// this time. A thread of a lower priority would starve while others want all cores.
  package static let scanSliceUs: Int64 = 250
  /// Number of instructions of SQLite's virtual machine between two checks whether a scan must end or rest: about 25
  /// µs.
  package static let scanStepsPerCheck: Int32 = 1_000
  /// Maximum number of posts in one page of a list.
  package static let pagePostsMax = 1_000
  /// Maximum number of posts that one page of a search examines: some hundredths of a second. The next page continues
  /// after them.
  package static let searchScanMax = 5_000
  /// Maximum depth of a list's nested conditions, as clients of the original service send them. They use two levels.
  package static let whereDepthMax = 8
  /// Maximum number of values in the conditions of a list. The ids of a page's posts fit.
  package static let whereComparisonsMax = 100
  /// Maximum number of latest posts that a condition searches, of all accounts or of one. The search reads each of
  /// them. All together take about a tenth of a second.
  package static let whereScanMax = 100_000
  /// Maximum number of posts that a page of such a list may skip. Each is counted.
  package static let skipMax = 1_000_000
}
