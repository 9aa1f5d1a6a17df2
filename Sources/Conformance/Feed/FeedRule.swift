/// The rules of proto/README.md for a feed, as far as ingest, subscribers and the feed's query clients can see them.
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
  case malformedQuery = "malformed-question"
  case goodbye

  var text: (says: String, reference: String) {
    switch self {
    case .fetch:
      (
        "a FetchRequest is one frame, with a request_id that rises, a name of at most 64 bytes and an epoch of 16 "
          + "bytes or none", "Change log"
      )
    case .nothingBefore: ("before a feed has reached ingest it publishes nothing, and joins wait", "Feed")
    case .fetchRepeated: ("2 s after an unanswered request the feed asks again", "Change log")
    case .oneFetch: ("one request is made at a time", "Change log")
    case .afterSeq: ("epoch and after_seq are those of the list that the feed has", "Change log")
    case .newList: ("a new list is published on s/ at once", "Feed")
    case .join: ("a join is answered on its own topic with the list", "Feed")
    case .frame: ("a message has a topic and a FeedFrame of major 1, with the list's epoch", "Feed")
    case .heartbeat: ("a Heartbeat comes each second, with the list's seq and state_hash", "Feed")
    case .delta: ("each reply that brings changes becomes a Delta from the list before it to the one after it", "Feed")
    case .busyHeartbeat: ("Heartbeats come each second also while there is much to tell", "Feed")
    case .snapshotPace: ("Snapshots on s/ come after changes, at most every 250 ms", "Feed")
    case .snapshotPeriod: ("without a change a Snapshot comes on s/ every 5 s", "Feed")
    case .joinMidway: ("who joins while changes go on misses none of them", "Feed")
    case .malformedJoin:
      ("joins with a NONCE that is not 1 to 40 of 0-9 A-Z a-z bring nothing, and harm nobody", "Feed")
    case .deletion:
      ("a Removal becomes a Delta that removes the post, and brings back what comes back for it", "Change log")
    case .edit:
      ("a post of the list that comes again is on it once, on top: in the Delta's state_hash and on s/", "Change log")
    case .otherRequest: ("an answer with another request_id is ignored", "Change log")
    case .malformedReply: ("an answer that is none of the protocol is ignored", "Change log")
    case .wrongList: ("a list with a wrong hash is not taken, and the feed asks again after 6 s", "Change log")
    case .backwards: ("a list of the same epoch with a lower seq is not taken", "Change log")
    case .wrongChanges: ("changes after which the list has another state_hash are not taken", "Change log")
    case .epoch: ("a list of another epoch replaces the one before, also where its seq is lower", "Change log")
    case .stale: ("when ingest has been silent for 6 s, frames are stale, until it answers again", "Feed")
    case .reconnect: ("after 6 s of silence the feed connects to ingest anew", "Change log")
    case .getSnapshot: ("GetSnapshot without an epoch is answered by the list", "Questions")
    case .notModified:
      ("GetSnapshot and GetChanges are answered by NotModified where the list stands there", "Questions")
    case .getChanges: ("GetChanges is answered by one Delta from after_seq to the list", "Questions")
    case .outsideRing:
      ("GetChanges of another epoch, from above the list or below ring_from is answered by the list", "Questions")
    case .malformedQuery: ("a question that is none is answered with MALFORMED, or not at all", "Questions")
    case .goodbye: ("on SIGTERM, Bye comes, and the feed ends", "Feed")
    }
  }
}

extension FeedRule {
  /// Rules that only the answers to queries show.
  static let questions: Set<FeedRule> = [.getSnapshot, .notModified, .getChanges, .outsideRing, .malformedQuery]
}
