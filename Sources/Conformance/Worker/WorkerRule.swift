/// The rules of proto/README.md for a worker, as far as ingest's end of the job link can see them.
enum WorkerRule: String, ConformanceRule {
  case frame
  case helloFirst = "hello-first"
  case hello
  case helloRepeated = "hello-repeated"
  case instance
  case busy
  case unsupportedVersion = "unsupported-version"
  case ready
  case window
  case session
  case answer
  case ownLease = "own-lease"
  case outcome
  case repeatedJob = "repeated-job"
  case creditForCopies = "credit-for-copies"
  case newLease = "new-lease"
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

  var text: (says: String, reference: String) {
    switch self {
    case .frame:
      (
        "a message is one frame of the protocol, major 1, with a body, of at most max_message_bytes",
        "Job link: frames"
      )
    case .helloFirst: ("the first frame is Hello", "A worker, 2")
    case .hello:
      (
        "Hello has session 0, versions that include 1, a name of 1 to 64 bytes without control characters, an instance "
          + "of 16 bytes and software of at most 64 bytes", "Hello"
      )
    case .helloRepeated: ("Hello is said again each second until Welcome", "A worker, 2")
    case .instance: ("instance is made once, and stays the same until the worker ends", "A worker, 1")
    case .busy: ("after Error BUSY the next Hello comes when retry_after_ms is over, and it does come", "A worker, 2")
    case .unsupportedVersion:
      ("after Error UNSUPPORTED_VERSION no Hello comes before retry_after_ms is over", "Errors")
    case .ready: ("after Welcome, Ready grants credit", "A worker, 4")
    case .window:
      ("a worker holds 64 jobs at most: job_limit is at most 64 above the jobs that it is rid of", "A worker, 4")
    case .session: ("after Welcome every frame has its session, and none the one before", "A worker, 3")
    case .answer: ("each job is answered, under its own lease", "A worker, 5")
    case .ownLease: ("only jobs that were sent are answered", "A worker, 5")
    case .outcome: ("a Result has an outcome; a Place is within its ranges, with level and match", "Results")
    case .repeatedJob: ("a job that comes again under a lease whose result is kept is ignored", "Jobs")
    case .creditForCopies:
      ("jobs that come again count as received, and credit is raised when half of the window is free", "A worker, 4")
    case .newLease: ("a job that comes again with a greater token is answered anew, under that token", "Jobs")
    case .lookup:
      ("the answer to a look-up has a Detail for each Place, or is a PERMANENT failure", "Jobs")
    case .malformedJob: ("a job with an unknown LookupKind is answered with a PERMANENT failure", "Jobs")
    case .unknownField: ("an unknown field is ignored: the job is answered", "Conventions")
    case .resend:
      ("a Result that is not acknowledged is sent again after 1 s, 2 s, 4 s, under its lease", "A worker, 6")
    case .retryLater: ("after RETRY_LATER a Result is kept, and sent again by its own schedule", "ResultAcks")
    case .unknownDisposition: ("an unknown Disposition is read as RETRY_LATER", "ResultAcks")
    case .acknowledged:
      ("after COMMITTED, DUPLICATE or STALE a Result is forgotten, and not sent again", "A worker, 6")
    case .heartbeat: ("WorkerHeartbeat comes every heartbeat_ms, as Welcome says", "A worker, 7")
    case .heartbeatHeld:
      ("a heartbeat names every lease that is held, results not acknowledged among them, and no other", "A worker, 7")
    case .heartbeatCredit: ("a heartbeat repeats the job_limit of Ready", "A worker, 7")
    case .progress:
      ("progress, where there is one, is the number of jobs answered since the start: it only rises", "A worker, 7")
    case .reset: ("after Reset, Hello comes at once", "A worker, 8")
    case .helloHeld: ("Hello names the leases of results that are not acknowledged in held", "Hello")
    case .resultsAgain:
      ("after Welcome every Result that is not acknowledged is sent again, under the new session", "A worker, 3")
    case .otherSession: ("Jobs, ResultAcks and Reset of another session are ignored", "Job link: frames")
    case .malformedFrame: ("one malformed frame ends neither a session nor a connection", "Errors")
    case .laterMinor:
      ("of a higher minor, unknown bodies and fields are ignored, and the rest is understood", "Conventions")
    case .otherMajor:
      ("a frame of another major is refused: its jobs are not answered, and work goes on", "Conventions")
    case .drain: ("after Drain, Hello comes at once", "A worker, 8")
    case .silence: ("after liveness_ms without a frame, and not before, Hello comes again", "A worker, 8")
    case .reconnect: ("after liveness_ms without a frame the worker connects again, with a new socket", "A worker, 8")
    case .helloOnlyWhenDue: ("in a session no Hello comes but after Reset, Drain or silence", "Hello")
    case .goodbye: ("on SIGTERM, Release with goodbye comes, and the worker ends", "A worker, 9")
    }
  }
}
