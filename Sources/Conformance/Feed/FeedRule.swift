import Domain

/// The rules of proto/README.md for a feed that ingest, subscribers and query clients can observe.
enum FeedRule: String, ConformanceRule {
  case fetch
  case nothingBefore = "nothing-before"
  case fetchRepeated = "fetch-repeated"
  case oneFetch = "one-fetch"
  case afterSeq = "after-seq"
  case newList = "new-list"
  case join
  case frame
  case heartbeat
  case delta
  case busyHeartbeat = "busy-heartbeat"
  case snapshotPace = "snapshot-pace"
  case snapshotPeriod = "snapshot-period"
  case joinMidway = "join-midway"
  case malformedJoin = "malformed-join"
  case deletion
  case edit
  case otherRequest = "other-request"
  case malformedReply = "malformed-reply"
  case wrongList = "wrong-list"
  case backwards
  case wrongChanges = "wrong-changes"
  case epoch
  case stale
  case reconnect
  case getSnapshot = "get-snapshot"
  case notModified = "not-modified"
  case getChanges = "get-changes"
  case outsideRing = "outside-ring"
  case malformedQuery = "malformed-query"
  case goodbye

  var text: (requirement: String, reference: String) {
    switch self {
    case .fetch:
      (
        "a FetchRequest MUST be one frame, with a rising request_id, a name of at most \(Limits.peerNameBytesMax) "
          + "bytes, and an epoch of 16 bytes or none", "Change log"
      )
    case .nothingBefore:
      ("before the first reply from ingest, the feed MUST publish nothing, and MUST keep joins waiting", "Feed")
    case .fetchRepeated:
      ("the feed MUST repeat a request without a reply after \(Limits.fetchTimeoutMs / 1_000) s", "Change log")
    case .oneFetch: ("the feed MUST have at most one open request", "Change log")
    case .afterSeq: ("epoch and after_seq MUST be those of the feed's list", "Change log")
    case .newList: ("the feed MUST publish a new list on s/ immediately", "Feed")
    case .join: ("the feed MUST publish one Snapshot of the list on the topic of each join", "Feed")
    case .frame: ("every message MUST have a topic and a FeedFrame of major version 1, with the list's epoch", "Feed")
    case .heartbeat:
      ("the feed MUST send a Heartbeat every \(Limits.feedHeartbeatMs) ms, with the list's seq and state_hash", "Feed")
    case .delta:
      ("the feed MUST publish each reply with changes as one Delta from its previous list to its new list", "Feed")
    case .busyHeartbeat:
      ("the feed MUST send a Heartbeat every \(Limits.feedHeartbeatMs) ms, also under load", "Feed")
    case .snapshotPace:
      (
        "after changes, the feed MUST publish Snapshots on s/, at most one every \(Limits.snapshotIntervalMinMs) ms",
        "Feed"
      )
    case .snapshotPeriod:
      (
        "without changes, the feed MUST publish a Snapshot on s/ every \(Limits.snapshotIntervalMaxMs / 1_000) s",
        "Feed"
      )
    case .joinMidway: ("a subscriber that joins while the list changes MUST NOT miss a change", "Feed")
    case .malformedJoin:
      (
        "the feed MUST ignore a join whose NONCE is not 1 to \(Limits.joinNonceBytesMax) characters of 0-9 A-Z a-z",
        "Feed"
      )
    case .deletion:
      (
        "the feed MUST publish a Removal as a Delta that removes the post, and adds the entry that returns to the list",
        "Change log"
      )
    case .edit:
      (
        "the list MUST contain an edited post once, at the top: in the Delta's state_hash, and in Snapshots on s/",
        "Change log"
      )
    case .otherRequest: ("the feed MUST ignore a reply with another request_id", "Change log")
    case .malformedReply: ("the feed MUST ignore a malformed reply", "Change log")
    case .wrongList:
      (
        "the feed MUST refuse a list with a wrong hash, and fetch again after \(Limits.livenessMs / 1_000) s",
        "Change log"
      )
    case .backwards: ("the feed MUST refuse a list of the same epoch with a lower seq", "Change log")
    case .wrongChanges: ("the feed MUST refuse changes after which its list has another state_hash", "Change log")
    case .epoch: ("a list of another epoch MUST replace the feed's list, even with a lower seq", "Change log")
    case .stale:
      (
        "after \(Limits.livenessMs / 1_000) s without a reply from ingest, the feed MUST mark its frames stale, until "
          + "the next reply", "Feed"
      )
    case .reconnect:
      ("the feed MUST reconnect to ingest after \(Limits.livenessMs / 1_000) s of silence", "Change log")
    case .getSnapshot: ("the feed MUST reply with the list to GetSnapshot without an epoch", "Query API")
    case .notModified:
      ("the feed MUST reply NotModified to GetSnapshot and GetChanges if the list has not changed", "Query API")
    case .getChanges: ("the feed MUST reply to GetChanges with one Delta from after_seq to the list", "Query API")
    case .outsideRing:
      (
        "the feed MUST reply with the list to GetChanges of another epoch, or with an after_seq above the list's seq "
          + "or below min_after_seq", "Query API"
      )
    case .malformedQuery: ("the feed MUST ignore a malformed query, or reply MALFORMED", "Query API")
    case .goodbye: ("on SIGTERM, the feed MUST send Bye, and exit", "Feed")
    }
  }
}

extension FeedRule {
  /// Rules that only the replies to queries show.
  static let queries: Set<FeedRule> = [.getSnapshot, .notModified, .getChanges, .outsideRing, .malformedQuery]
}
