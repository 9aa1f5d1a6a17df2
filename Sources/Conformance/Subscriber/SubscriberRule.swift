/// The rules of proto/README.md for a subscriber of level 1, as far as the feed's end of the link can see them, and
/// the lists that the subscriber prints.
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
  case alternate
  case shown

  var text: (says: String, reference: String) {
    let (says, step) = words
    return (says, "A subscriber, level 1, \(step)")
  }

  private var words: (says: String, step: String) {
    switch self {
    case .subscriptions: ("it subscribes to d/, h/ and j/NONCE/, in this order, and to nothing else", "1")
    case .nonce: ("NONCE is 1 to 40 of 0-9 A-Z a-z", "1")
    case .joinRepeated: ("a join that brings no Snapshot is repeated after 3 s, with a new nonce", "7")
    case .heartbeat: ("a Heartbeat that says what the list is changes nothing, nor does one of an earlier seq", "5")
    case .delta: ("a Delta that follows the list is taken, and no Snapshot is asked for", "4")
    case .duplicateDelta: ("a Delta whose seq is not above the list's is ignored", "4")
    case .overlappingDelta: ("a Delta whose prev_seq is below the list's seq, and its seq above it, is taken", "4")
    case .deletion:
      ("a Delta removes posts that were deleted, and puts what comes back for them where its seq puts it", "4")
    case .edit: ("a Delta that brings a post of the list again puts it on top, and takes away where it stood", "4")
    case .olderSnapshot: ("a Snapshot that is not above a live list is ignored", "3")
    case .newerSnapshot: ("a Snapshot above a live list is taken", "3")
    case .stale: ("stale in a Heartbeat says something of ingest: the list stays right, and is told as live", "9")
    case .unknownField: ("an unknown field is ignored: the Delta beside it is taken", "2")
    case .laterMinor: ("of a higher minor, unknown bodies and fields are ignored, and the rest is understood", "2")
    case .malformedFrame: ("frames that are none of the protocol are dropped, and change nothing", "2")
    case .gap: ("after a Delta whose prev_seq is above the list's seq it joins again", "4")
    case .missedDelta: ("after a Heartbeat whose seq is above the list's it joins again", "5")
    case .deltaHash: ("after a Delta whose state_hash is not that of the list it joins again", "4")
    case .heartbeatHash: ("after a Heartbeat of the list's seq with another state_hash it joins again", "5")
    case .snapshotHash: ("after a Snapshot whose state_hash is not that of its entries it joins again", "3")
    case .deltaEpoch: ("after a Delta of another epoch it joins again", "4")
    case .heartbeatEpoch: ("after a Heartbeat of another epoch it joins again", "5")
    case .behind: ("after the third Heartbeat in a row whose seq is below the list's it joins again", "5")
    case .bye: ("after a Bye without alternates it joins again, where it knows no other feed", "6")
    case .byePause: ("after a Bye it joins at the same feed only when retry_after_ms is over", "6")
    case .newNonce: ("each join that is made on a connection has a new nonce", "7")
    case .unsubscribe: ("with a new join the old join topic is unsubscribed", "7")
    case .pause:
      ("as long as joins bring no list, each comes within a random part of twice the pause before", "7")
    case .pauseReset: ("after a Snapshot the next loss brings a join within 500 ms again", "7")
    case .silence: ("after more than 3 s without any frame, and not before, it connects again", "8")
    case .alternate: ("after a Bye with alternates it joins at one of them, or again at a feed that it knows", "6")
    case .shown: ("a list that is told as live is one of the feed's, with its epoch, seq and state_hash", "3 to 7")
    }
  }
}
