/// Id of a unit of work on the job link: a post's own number, or a lookup's with the highest bit set.
package struct JobID: RawRepresentable, Sendable, Hashable {
  package let rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Creates the id of a queued post's job.
  package init(_ post: PostID) { rawValue = post.rawValue }
  /// Creates the id of a lookup, which is not stored. A lost lookup is not repeated.
  package init(lookup: UInt64) { rawValue = lookup | JobID.lookupBit }

  /// Returns the number below the lookups of a start of ingest. All lookups of earlier starts are below it.
  package static func lookupsBefore(generation: UInt32) -> UInt64 { UInt64(generation) << 39 }

  /// Id of the job's post. Nil for a lookup.
  package var post: PostID? { isLookup ? nil : PostID(rawValue: rawValue) }
  /// True for a lookup, which is not stored.
  package var isLookup: Bool { rawValue & JobID.lookupBit != 0 }

  /// Returns a fast hash, which is safe because ingest alone assigns job ids.
  package func _rawHashValue(seed: Int) -> Int { rawValue.hash(seed: seed) }

  private static let lookupBit: UInt64 = 1 << 63
}

/// Geocoding of one post, or of one lookup.
package struct Job: Sendable, Equatable {
  /// Request of a job.
  package enum Request: Sendable, Equatable {
    /// The place of a post, by its text of 1 … `Limits.placeBytesMax` bytes.
    case post(String)
    /// The query of a lookup. Posts wait by the thousand, and an indirect case does not enlarge them.
    indirect case lookup(PlaceQuery)
  }

  package let id: JobID
  /// Account whose turn the job takes. Lookups have a queue of their own.
  package let account: AccountID
  package let request: Request
  /// The client's own coordinates, to compare with the result. They are not sent to workers.
  package let clientCoordinate: Coordinate?
  /// Number of failed attempts so far, as stored.
  package var attempts: Int
  /// Number of workers lost so far, as stored.
  package var leaseLosses: Int
  /// Trace of the request that created the job.
  package var trace: TraceContext?
  /// True if its worker may make one request to a remote provider. The permit ends with the lease.
  package var isRemote = false
  /// Other data of its post, so that the settlement need not read it back. Nil for a lookup, and for a job that was
  /// read from the disk. Workers do not get it.
  package var content: PostContent?

  /// Data of a post as it was accepted. A queued post does not change, but its owner may delete it.
  package struct PostContent: Sendable, Equatable {
    package let link: String
    /// Time of acceptance, in milliseconds since 1970, UTC.
    package let createdMs: Int64

    package init(link: String, createdMs: Int64) {
      self.link = link
      self.createdMs = createdMs
    }
  }

  /// Creates the job of a post.
  package init(
    id: JobID, account: AccountID, query: String, clientCoordinate: Coordinate? = nil, attempts: Int = 0,
    leaseLosses: Int = 0
  ) {
    self.init(id: id, account: account, request: .post(query), clientCoordinate: clientCoordinate)
    self.attempts = attempts
    self.leaseLosses = leaseLosses
  }

  /// Creates a job without failures.
  package init(id: JobID, account: AccountID, request: Request, clientCoordinate: Coordinate? = nil) {
    self.id = id
    self.account = account
    self.request = request
    self.clientCoordinate = clientCoordinate
    attempts = 0
    leaseLosses = 0
  }

  /// Text to geocode: 1 … `Limits.placeBytesMax` bytes.
  package var query: String {
    switch request {
    case .post(let text): text
    case .lookup(let query): query.text
    }
  }

  /// Query for the geocoder.
  package var placeQuery: PlaceQuery {
    switch request {
    case .post(let text): PlaceQuery(text)
    case .lookup(let query): query
    }
  }
}

/// A worker's reply to a job: a closed set.
package enum WorkerReply: Sendable, Equatable {
  /// The geocoding has ended.
  case outcome(JobOutcome)
  /// The text asks for more than the gazetteer's 0 … `Limits.candidatesMax` places. A remote provider may know more,
  /// and the worker requests a remote permit.
  case needsRemote([Place])

  /// True if the geocoding has failed.
  package var isFailure: Bool { if case .outcome(.failed) = self { true } else { false } }
}

/// Outcome of a job's geocoding: a closed set.
package enum JobOutcome: Sendable, Equatable {
  /// Places found, best first, at least one.
  case located([Place])
  /// No place found for this text. The outcome is final.
  case notFound
  case failed(Failure)

  /// Reason why a worker found no outcome.
  package struct Failure: Sendable, Equatable {
    /// Kind of failure, which decides about a retry.
    package enum Kind: UInt8, Sendable {
      /// Retry later. The failure counts as an attempt.
      case transient = 1
      /// Retries are futile.
      case permanent = 2
      /// The worker did not start the job. A retry counts no attempt.
      case notStarted = 3
    }
    package var kind: Kind
    /// Code for machines.
    package var code: String
    /// Explanation for people: one sentence.
    package var detail: String
    /// Minimum pause before a retry, in milliseconds. 0 if the worker does not know one.
    package var retryAfterMs: Int64

    package init(kind: Kind, code: String, detail: String, retryAfterMs: Int64 = 0) {
      self.kind = kind
      self.code = code
      self.detail = detail
      self.retryAfterMs = retryAfterMs
    }
  }
}

extension JobOutcome {
  /// Returns the outcome without a remote provider: the gazetteer's places, marked as degraded. Without places it is a
  /// transient failure, because `notFound` would be final.
  ///
  /// - Parameter code: reason for machines.
  package static func degraded(_ places: [Place], code: String) -> JobOutcome {
    guard !places.isEmpty else {
      return .failed(.init(kind: .transient, code: code, detail: "the remote provider is unavailable"))
    }
    return .located(
      places.map { place in
        var place = place
        place.match = .fallback
        var detail = place.detail ?? Place.Detail()
        detail.isDegraded = true
        place.detail = detail
        return place
      })
  }

  /// Returns the outcome of a job that gets no remote permit.
  static func withoutPermit(_ places: [Place]) -> JobOutcome { .degraded(places, code: "remote_permit_denied") }
}

/// Right of a worker to report the result of a job. Tokens only rise, over restarts too, so a later lease fences off an
/// earlier one.
package struct Lease: Sendable, Hashable {
  package let job: JobID
  /// Fencing token, `generation << 40 | counter`: a trillion leases between two starts of ingest.
  package let token: UInt64

  package init(job: JobID, token: UInt64) {
    self.job = job
    self.token = token
  }

  /// Returns a fast hash of the token, which suffices because ingest alone assigns tokens, and each only once.
  package func _rawHashValue(seed: Int) -> Int { token.hash(seed: seed) }
}

/// A worker's result under its lease.
package struct JobResult: Sendable, Equatable {
  package let lease: Lease
  package let reply: WorkerReply

  package init(lease: Lease, reply: WorkerReply) {
    self.lease = lease
    self.reply = reply
  }

  package init(lease: Lease, outcome: JobOutcome) { self.init(lease: lease, reply: .outcome(outcome)) }
}

/// Ingest's acknowledgement of a result, which is final for the worker unless it is `retryLater`.
package enum Disposition: UInt8, Sendable {
  /// The outcome is durable.
  case committed = 1
  /// The job was settled before, or never existed. Nothing changed.
  case duplicate = 2
  /// The lease does not count. A failure needs the job's current lease, a success any lease that the job had.
  case stale = 3
  /// The result was not accepted. Resend it after a pause.
  case retryLater = 4
}
