import Domain

/// The rules of proto/README.md for a subscriber of level 1. The feed's end of the link shows most of them, and the
/// printed lists show the others.
enum SubscriberRule: String, ConformanceRule {
  case subscriptions
  case nonce
  case joinRepeated = "join-repeated"
  case heartbeat
  case delta
  case duplicateDelta = "duplicate-delta"
  case overlappingDelta = "overlapping-delta"
  case deletion
  case edit
  case olderSnapshot = "older-snapshot"
  case newerSnapshot = "newer-snapshot"
  case stale
  case unknownField = "unknown-field"
  case laterMinor = "later-minor"
  case malformedFrame = "malformed-frame"
  case gap
  case missedDelta = "missed-delta"
  case deltaHash = "delta-hash"
  case heartbeatHash = "heartbeat-hash"
  case snapshotHash = "snapshot-hash"
  case deltaEpoch = "delta-epoch"
  case heartbeatEpoch = "heartbeat-epoch"
  case behind
  case bye
  case byePause = "bye-pause"
  case newNonce = "new-nonce"
  case unsubscribe
  case pause
  case pauseReset = "pause-reset"
  case silence
  case failover
  case shown

  var text: (requirement: String, reference: String) {
    let (requirement, step) = requirement
    return (requirement, "A subscriber, level 1, \(step)")
  }

  private var requirement: (requirement: String, step: String) {
    switch self {
    case .subscriptions:
      ("the subscriber MUST subscribe to d/, h/ and j/NONCE/, in this order, and to nothing else", "1")
    case .nonce: ("NONCE MUST be 1 to \(Limits.joinNonceBytesMax) characters of 0-9 A-Z a-z", "1")
    case .joinRepeated:
      (
        "the subscriber MUST repeat a join without a Snapshot after \(Limits.joinTimeoutMs / 1_000) s, with a new "
          + "NONCE", "7"
      )
    case .heartbeat:
      ("the subscriber MUST ignore a Heartbeat that matches its list, and a Heartbeat with a lower seq", "5")
    case .delta: ("the subscriber MUST apply a Delta that follows its list, without a new join", "4")
    case .duplicateDelta: ("the subscriber MUST ignore a Delta whose seq is not above the list's seq", "4")
    case .overlappingDelta:
      ("the subscriber MUST apply a Delta whose prev_seq is below the list's seq and whose seq is above it", "4")
    case .deletion:
      ("the subscriber MUST remove the posts of remove, add the posts of upsert, and order its list by seq", "4")
    case .edit: ("the subscriber MUST move a post of the list to the top when upsert contains the post again", "4")
    case .olderSnapshot: ("a live subscriber MUST ignore a Snapshot whose seq is not above its list's seq", "3")
    case .newerSnapshot: ("a live subscriber MUST accept a Snapshot whose seq is above its list's seq", "3")
    case .stale:
      ("when a Heartbeat is marked stale, the subscriber MUST keep its list live, and print the list as live", "9")
    case .unknownField: ("the subscriber MUST ignore an unknown field, and apply the Delta", "2")
    case .laterMinor:
      ("the subscriber MUST ignore unknown bodies and fields of a higher minor, and accept the rest", "2")
    case .malformedFrame: ("the subscriber MUST ignore malformed frames", "2")
    case .gap: ("the subscriber MUST join again after a Delta whose prev_seq is above the list's seq", "4")
    case .missedDelta: ("the subscriber MUST join again after a Heartbeat whose seq is above the list's seq", "5")
    case .deltaHash: ("the subscriber MUST join again after a Delta whose state_hash is not that of the list", "4")
    case .heartbeatHash:
      ("the subscriber MUST join again after a Heartbeat with the list's seq and another state_hash", "5")
    case .snapshotHash:
      ("the subscriber MUST join again after a Snapshot whose state_hash is not that of its entries", "3")
    case .deltaEpoch: ("the subscriber MUST join again after a Delta of another epoch", "4")
    case .heartbeatEpoch: ("the subscriber MUST join again after a Heartbeat of another epoch", "5")
    case .behind:
      ("the subscriber MUST join again after the third Heartbeat in a row whose seq is below the list's seq", "5")
    case .bye: ("after a Bye without failover_endpoints, a subscriber that knows no other feed MUST join again", "6")
    case .byePause:
      (
        "after a Bye, the subscriber MUST join the same feed again once retry_after_ms has passed. It MUST NOT join "
          + "earlier, even if the feed has returned", "6"
      )
    case .newNonce: ("each join on a connection MUST have a new NONCE", "7")
    case .unsubscribe: ("with a new join, the subscriber MUST unsubscribe from the old join topic", "7")
    case .pause:
      ("after each join that brings no valid list, the subscriber MUST double the range of its random pause", "7")
    case .pauseReset:
      ("after an accepted Snapshot, the range of the random pause MUST begin at \(Limits.joinPauseMs) ms again", "7")
    case .silence:
      (
        "the subscriber MUST reconnect after more than \(3 * Limits.feedHeartbeatMs / 1_000) s without a frame, and "
          + "not earlier", "8"
      )
    case .failover:
      ("after a Bye with failover_endpoints, the subscriber MUST join one of these feeds, or a feed that it knows", "6")
    case .shown:
      ("a list printed as live MUST have the epoch, the seq and the state_hash of a list of the feed", "3 to 7")
    }
  }
}
