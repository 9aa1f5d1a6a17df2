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
  case result = "answer"
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
        "every message MUST be one frame of the protocol, major 1, with a body, of at most max_message_bytes",
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
    case .instance: ("the worker MUST create instance once, and keep it until it ends", "A worker, 1")
    case .busy: ("after Error BUSY the worker MUST send Hello again once retry_after_ms has passed", "A worker, 2")
    case .unsupportedVersion:
      ("after Error UNSUPPORTED_VERSION the worker MUST NOT send Hello before retry_after_ms has passed", "Errors")
    case .credit: ("after Welcome the worker MUST send Credit", "A worker, 4")
    case .window:
      (
        "the worker MUST NOT hold more than \(Limits.windowMax) jobs: job_limit is at most \(Limits.windowMax) above "
          + "the number of finished jobs", "A worker, 4"
      )
    case .session: ("after Welcome every frame MUST carry the new session", "A worker, 3")
    case .result: ("the worker MUST send a Result for each job, under the job's lease", "A worker, 5")
    case .ownLease: ("the worker MUST send Results only for jobs that it has received", "A worker, 5")
    case .outcome:
      ("a Result MUST have an outcome, and a Place MUST be within its ranges, with level and match", "Results")
    case .repeatedJob: ("the worker MUST ignore a repeated job whose Result it keeps under the same lease", "Jobs")
    case .creditForCopies:
      (
        "the worker MUST count repeated jobs as received, and raise its credit when half of the window is free",
        "A worker, 4"
      )
    case .newLease: ("the worker MUST answer a job that comes again with a greater token under that token", "Jobs")
    case .lowerLease: ("the worker MUST ignore a job that comes again with a lower token", "Jobs")
    case .lookup: ("the Result of a lookup MUST have a Detail for each Place, or be a PERMANENT failure", "Jobs")
    case .malformedJob: ("the worker MUST answer a job with an unknown LookupKind with a PERMANENT failure", "Jobs")
    case .unknownField: ("the worker MUST ignore an unknown field, and answer the job", "Versions")
    case .resend:
      ("the worker MUST resend an unacknowledged Result after 1 s, 2 s, 4 s, under its lease", "A worker, 6")
    case .retryLater:
      ("after RETRY_LATER the worker MUST keep the Result, and resend it on its own schedule", "ResultAcks")
    case .unknownDisposition: ("the worker MUST treat an unknown Disposition as RETRY_LATER", "ResultAcks")
    case .acknowledged: ("after COMMITTED, DUPLICATE or STALE the worker MUST NOT resend the Result", "A worker, 6")
    case .heartbeat: ("the worker MUST send WorkerHeartbeat every heartbeat_ms of Welcome", "A worker, 7")
    case .heartbeatHeld:
      (
        "a heartbeat MUST list every held lease, with those of jobs in work and unacknowledged Results, and no other",
        "A worker, 7"
      )
    case .heartbeatCredit: ("a heartbeat MUST repeat the job_limit of Credit", "A worker, 7")
    case .progress:
      ("progress, if present, MUST be the number of jobs answered since the start, and MUST only rise", "A worker, 7")
    case .reset: ("after Reset the worker MUST send Hello immediately", "A worker, 8")
    case .helloHeld: ("Hello MUST list the leases of jobs in work and of unacknowledged Results in held", "Hello")
    case .resultsAgain:
      ("after Welcome the worker MUST resend every unacknowledged Result in the new session", "A worker, 3")
    case .otherSession: ("the worker MUST ignore Jobs, ResultAcks and Reset of another session", "Job link")
    case .malformedFrame: ("a malformed frame MUST NOT end the session or the connection", "Errors")
    case .laterMinor:
      ("the worker MUST ignore unknown bodies and fields of a higher minor, and accept the rest", "Versions")
    case .otherMajor:
      ("the worker MUST ignore a frame of another major version and its jobs, and keep its session", "Versions")
    case .drain: ("after Drain the worker MUST send Hello immediately", "A worker, 8")
    case .silence: ("the worker MUST send Hello again after liveness_ms without a frame, and not before", "A worker, 8")
    case .reconnect: ("the worker MUST reconnect with a new socket after liveness_ms without a frame", "A worker, 8")
    case .helloOnlyWhenDue: ("within a session the worker MUST send Hello only after Reset, Drain or silence", "Hello")
    case .goodbye: ("on SIGTERM the worker MUST send Release with goodbye, and exit", "A worker, 9")
    }
  }
}
