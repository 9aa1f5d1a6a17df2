/// The rules of proto/README.md for a producer, as far as ingest's end of submission can see them.
enum ProducerRule: String, ConformanceRule {
  case frame
  case token
  case requestID = "request-id"
  case draft
  case key
  case window
  case accepted
  case replayed
  case refused
  case laterMinor = "later-minor"
  case resend
  case busyPost = "busy-post"
  case busy
  case receiptCount = "receipt-count"
  case unmatched = "request-id-0"
  case matching
  case order
  case malformedFrame = "malformed-frame"
  case reconnect
  case resendAnew = "resend-anew"
  case unauthorized

  var text: (says: String, reference: String) {
    switch self {
    case .frame:
      ("a message is one frame of the protocol, major 1, with a body, of at most 720,896 bytes", "Submission")
    case .token: ("every request has a session's token, of 43 bytes", "A producer, 1")
    case .requestID: ("request_id is 1 or more, and a batch has another one than those that are open", "A producer, 3")
    case .draft:
      (
        "a batch has 1 to 256 posts, each with a key of 1 to 255 bytes without control characters, a place and a link "
          + "within their lengths, and both coordinates or neither", "Submission"
      )
    case .key: ("under a key that comes again the same post comes", "A producer, 2")
    case .window: ("at most 16 requests are open", "Submission")
    case .accepted: ("a post that was ACCEPTED is not sent again", "A producer, 4")
    case .replayed: ("a post that was REPLAYED is not sent again", "A producer, 4")
    case .refused: ("a post that was REFUSED is not sent again", "A producer, 4")
    case .laterMinor: ("of a higher minor, unknown fields are ignored, and the rest is understood", "Conventions")
    case .resend: ("a batch without a reply is sent again after 5 s, with the same keys", "A producer, 5")
    case .busyPost: ("a post that was BUSY is sent again, with its key, when retry_after_ms is over", "A producer, 4")
    case .busy: ("after Error BUSY the batch is sent again when retry_after_ms is over", "A producer, 5")
    case .receiptCount: ("Receipts in another number than the batch's posts are no reply", "A producer, 4")
    case .unmatched: ("an Error with request_id 0 ends no request: open batches are sent again", "A producer, 5")
    case .matching: ("a reply whose request_id is not open changes nothing", "A producer, 4")
    case .order: ("replies may come in any order: each is that of its request_id", "Submission")
    case .malformedFrame: ("frames that are none of the protocol are dropped, and are no reply", "A producer, 4")
    case .reconnect:
      ("after 6 s without a reply, and not before, the producer connects by a new socket", "A producer, 6")
    case .resendAnew:
      ("on a new connection all that is open is sent again within 2 s, with the same keys", "A producer, 6")
    case .unauthorized:
      ("after UNAUTHORIZED no request comes under that token, and none before retry_after_ms is over", "A producer, 5")
    }
  }
}
