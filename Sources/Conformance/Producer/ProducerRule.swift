import Domain

/// The rules of proto/README.md for a producer that ingest's end of submission can observe.
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
  case resendOnReconnect = "resend-anew"
  case unauthorized

  var text: (requirement: String, reference: String) {
    switch self {
    case .frame:
      (
        "every message MUST be one frame of major version 1 with a body, and at most "
          + "\(Limits.submitFrameBytesMax) bytes long", "Submission"
      )
    case .token: ("every request MUST carry a session token of \(Limits.sessionTokenBytes) bytes", "A producer, 1")
    case .requestID:
      ("request_id MUST be 1 or more, and MUST NOT be that of another open request", "A producer, 3")
    case .draft:
      (
        "a batch MUST have 1 to \(Limits.submitPostsMax) posts. Each MUST have a key of 1 to "
          + "\(Limits.idempotencyKeyBytesMax) bytes without hidden characters, a place and a link within their limits, "
          + "and both coordinates or neither", "Submission"
      )
    case .key: ("a repeated key MUST carry the same post", "A producer, 2")
    case .window:
      ("the producer MUST NOT have more than \(Limits.submitRequestsOfConnectionMax) open requests", "A producer, 3")
    case .accepted: ("the producer MUST NOT resend an ACCEPTED post", "A producer, 4")
    case .replayed: ("the producer MUST NOT resend a REPLAYED post", "A producer, 4")
    case .refused: ("the producer MUST NOT resend a REFUSED post", "A producer, 4")
    case .laterMinor: ("the producer MUST ignore unknown fields of a higher minor, and accept the rest", "Versions")
    case .resend:
      (
        "the producer MUST resend a batch without a reply after \(Limits.submitReplyTimeoutMs / 1_000) s, with the "
          + "same keys", "A producer, 5"
      )
    case .busyPost:
      ("the producer MUST resend a BUSY post, with its key, once retry_after_ms has passed", "A producer, 4")
    case .busy: ("after Error BUSY, the producer MUST resend the batch once retry_after_ms has passed", "A producer, 5")
    case .receiptCount:
      ("the producer MUST ignore a reply with more or fewer Receipts than the batch has posts", "A producer, 4")
    case .unmatched:
      ("the producer MUST NOT end a request because of an Error with request_id 0", "A producer, 5")
    case .matching: ("the producer MUST ignore a reply whose request_id is not open", "A producer, 4")
    case .order: ("the producer MUST match replies to requests by request_id, in any order of replies", "Submission")
    case .malformedFrame: ("the producer MUST ignore malformed frames", "A producer, 4")
    case .reconnect:
      (
        "the producer MUST reconnect with a new socket after \(Limits.livenessMs / 1_000) s without a reply, and not "
          + "earlier", "A producer, 6"
      )
    case .resendOnReconnect:
      ("on a new connection, the producer MUST resend all open batches within 2 s, with the same keys", "A producer, 6")
    case .unauthorized:
      (
        "after UNAUTHORIZED, the producer MUST NOT use the token again. It MUST wait for retry_after_ms before it uses "
          + "a new token", "A producer, 5"
      )
    }
  }
}
