import Domain

/// The rules of proto/README.md for a worker that ingest's end of the job link can observe.
enum WorkerRule: String, ConformanceRule {
  case frame
  case helloFirst = "hello-first"
  case hello
  case helloRepeated = "hello-repeated"
  case instance
  case busy
  case unsupportedVersion = "unsupported-version"
  case credit
  case window
  case session
  case result
  case ownLease = "own-lease"
  case outcome
  case repeatedJob = "repeated-job"
  case creditForCopies = "credit-for-copies"
  case newLease = "new-lease"
  case lowerLease = "lower-lease"
  case lookup
  case malformedJob = "malformed-job"
  case unknownField = "unknown-field"
  case resend
  case retryLater = "retry-later"
  case unknownDisposition = "unknown-disposition"
  case acknowledged
  case heartbeat
  case heartbeatHeld = "heartbeat-held"
  case heartbeatCredit = "heartbeat-credit"
  case progress
  case reset
  case helloHeld = "hello-held"
  case resultsAgain = "results-again"
  case otherSession = "other-session"
  case malformedFrame = "malformed-frame"
  case laterMinor = "later-minor"
  case otherMajor = "other-major"
  case drain
  case silence
  case reconnect
  case helloOnlyWhenDue = "hello-only-when-due"
  case goodbye

  var text: (requirement: String, reference: String) {
    switch self {
    case .frame:
      (
        "every message MUST be one frame of major version 1 with a body, and at most max_message_bytes long",
        "Job link"
      )
    case .helloFirst: ("the first frame MUST be Hello", "A worker, 2")
    case .hello:
      (
        "Hello MUST have session 0, versions that include 1, a name of 1 to \(Limits.peerNameBytesMax) bytes without "
          + "hidden characters, an instance of 16 bytes, and software of at most \(Limits.peerNameBytesMax) bytes",
        "Hello"
      )
    case .helloRepeated:
      ("the worker MUST repeat Hello every \(Limits.helloRepeatMs) ms until Welcome", "A worker, 2")
    case .instance: ("the worker MUST send the same instance in every Hello until its process ends", "A worker, 1")
    case .busy: ("after Error BUSY, the worker MUST send Hello again once retry_after_ms has passed", "A worker, 2")
    case .unsupportedVersion:
      ("after Error UNSUPPORTED_VERSION, the worker MUST NOT send Hello before retry_after_ms has passed", "Errors")
    case .credit: ("after Welcome, the worker MUST send Credit", "A worker, 4")
    case .window:
      (
        "job_limit MUST be at most \(Limits.windowMax) above the number of finished jobs, because a worker MUST NOT "
          + "hold more than \(Limits.windowMax) jobs", "A worker, 4"
      )
    case .session: ("after Welcome, every frame MUST carry the new session", "A worker, 3")
    case .result: ("the worker MUST send a Result for each job, under the job's lease", "A worker, 5")
    case .ownLease: ("the worker MUST send Results only for jobs that it has received", "A worker, 5")
    case .outcome:
      ("a Result MUST have an outcome, and a Place MUST have a level, a match and values in their ranges", "Results")
    case .repeatedJob:
      ("the worker MUST ignore a job that arrives again under a lease whose Result it still holds", "Jobs")
    case .creditForCopies:
      (
        "the worker MUST count repeated jobs as received, and raise job_limit when half of its window is free",
        "A worker, 4"
      )
    case .newLease:
      ("if a job arrives again with a greater token, the worker MUST send its Result under the greater token", "Jobs")
    case .lowerLease: ("the worker MUST ignore a job that arrives again with a lower token", "Jobs")
    case .lookup: ("the Result of a lookup MUST have a Detail for each Place, or be a PERMANENT failure", "Jobs")
    case .malformedJob:
      ("for a job with an unknown LookupKind, the worker MUST send the PERMANENT failure malformed_job", "Jobs")
    case .unknownField: ("the worker MUST ignore an unknown field of a job, and send the job's Result", "Versions")
    case .resend:
      ("the worker MUST resend an unacknowledged Result after 1 s, 2 s, 4 s, under its lease", "A worker, 6")
    case .retryLater:
      ("after RETRY_LATER, the worker MUST keep the Result, and resend it on its own schedule", "ResultAcks")
    case .unknownDisposition: ("the worker MUST treat an unknown Disposition as RETRY_LATER", "ResultAcks")
    case .acknowledged: ("after COMMITTED, DUPLICATE or STALE, the worker MUST NOT resend the Result", "A worker, 6")
    case .heartbeat: ("the worker MUST send WorkerHeartbeat every heartbeat_ms of Welcome", "A worker, 7")
    case .heartbeatHeld:
      (
        "a heartbeat MUST list the leases of all jobs in progress and of all unacknowledged Results, and no other",
        "A worker, 7"
      )
    case .heartbeatCredit: ("a heartbeat MUST repeat the job_limit of Credit", "A worker, 7")
    case .progress:
      (
        "progress, if present, MUST be the number of jobs finished since the worker's start, and MUST NOT fall",
        "A worker, 7"
      )
    case .reset: ("after Reset, the worker MUST send Hello immediately", "A worker, 8")
    case .helloHeld: ("Hello MUST list the leases of jobs in progress and of unacknowledged Results in held", "Hello")
    case .resultsAgain:
      ("after Welcome, the worker MUST resend every unacknowledged Result in the new session", "A worker, 3")
    case .otherSession: ("the worker MUST ignore Jobs, ResultAcks and Reset of another session", "Job link")
    case .malformedFrame: ("a malformed frame MUST NOT end the session or the connection", "Errors")
    case .laterMinor:
      ("the worker MUST ignore unknown bodies and fields of a higher minor, and accept the rest", "Versions")
    case .otherMajor:
      ("the worker MUST ignore a frame of another major version and its jobs, and keep its session", "Versions")
    case .drain: ("after Drain, the worker MUST send Hello immediately", "A worker, 8")
    case .silence:
      ("the worker MUST send Hello again after liveness_ms without a frame, and not earlier", "A worker, 8")
    case .reconnect: ("the worker MUST reconnect with a new socket after liveness_ms without a frame", "A worker, 8")
    case .helloOnlyWhenDue: ("within a session, the worker MUST send Hello only after Reset, Drain or silence", "Hello")
    case .goodbye: ("on SIGTERM, the worker MUST send Release with goodbye, and exit", "A worker, 9")
    }
  }
}
