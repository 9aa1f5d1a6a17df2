/// Limits of database reads.
extension Limits {
  /// Maximum number of rows that a quick read examines: the length of the public list. A read that may examine more is
  /// a scan.
  package static let quickReadRowsMax = feedEntriesMax
  /// Maximum number of parallel scans. With two slots, no block of addresses has all slots. Each scan pauses half of
  /// the time, so two scans take at most one core.
  package static let concurrentScansMax = 2
  /// Maximum number of scans that wait for a slot. Further scans get 503. At 40 ms per page, this is about a second of
  /// work.
  package static let scansWaitingMax = 32
  /// Divisor for the scans of one network. A network may use an eighth of the slots, at least one, and an eighth of the
  /// queue. Its share of `httpConnectionsMax` is the same.
  package static let scansNetworkShare = httpNetworkShare
  /// Divisor for the scans of one block of addresses (`IPAddress.block`). A block may use half of the slots, at least
  /// one, and half of the queue. An IPv6 client with a /56 has 256 networks, so the share of a network alone does not
  /// limit that client.
  package static let scansBlockShare = 2
  /// Timeout of a scan, in milliseconds. The comparison of 100,000 posts with 49 values takes half a second of a core,
  /// and a second with the scan's pauses.
  package static let scanMs: Int64 = 3_000
  /// Timeout of a scan that waits for a slot, in milliseconds. The scan then gets 503.
  package static let scanWaitMs: Int64 = 5_000
  /// Longest time with scans and no pause, in milliseconds. After it, no scan starts until all running scans have ended
  /// and a checkpoint has emptied SQLite's WAL. Without pauses, the WAL would grow without limit while scans overlap.
  package static let scanBusyMaxMs: Int64 = 10_000
  /// Duration of a scan's work, and of the pause after it, in microseconds. On two cores, a login or a post gets a core
  /// within this time. A thread of a lower priority would starve while other threads want all cores.
  package static let scanSliceUs: Int64 = 250
  /// Number of instructions of SQLite's virtual machine between two checks whether a scan must end or pause: about 25
  /// µs.
  package static let scanStepsPerCheck: Int32 = 1_000
  /// Maximum number of posts in one page of a list.
  package static let pagePostsMax = 1_000
  /// Maximum number of posts that one page of a search examines, which takes tens of milliseconds. The next page
  /// continues after them.
  package static let searchScanMax = 5_000
  /// Maximum depth of nested conditions in the compatibility API's list. Clients of the original service use two
  /// levels.
  package static let whereDepthMax = 8
  /// Maximum number of values in the conditions of the compatibility API's list. The ids of the posts of a default page
  /// fit.
  package static let whereComparisonsMax = 100
  /// Maximum number of latest posts that a condition searches, of all accounts or of one account. The search reads each
  /// of these posts, which takes about 100 ms in total.
  package static let whereScanMax = 100_000
  /// Maximum number of posts that a page of the compatibility API's list may skip. The store reads each skipped post.
  package static let skipMax = 1_000_000
}
