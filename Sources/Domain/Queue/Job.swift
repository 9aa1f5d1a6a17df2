/// Id of a job: the number of its post's id, or the number of a lookup with the highest bit set.
package struct JobID: RawRepresentable, Sendable, Hashable {
  package let rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Creates the id of a queued post's job.
  package init(_ post: PostID) { rawValue = post.rawValue }
  /// Creates the id of a lookup, which is not stored. A lost lookup is not repeated.
  package init(lookup: UInt64) { rawValue = lookup | JobID.lookupBit }

  /// Returns the number below all lookups of a start of ingest, and above all lookups of earlier starts.
  package static func lookupBase(generation: UInt32) -> UInt64 { UInt64(generation) << 39 }

  /// Id of the job's post. Nil for a lookup.
  package var post: PostID? { isLookup ? nil : PostID(rawValue: rawValue) }
  /// True for a lookup, which is not stored.
  package var isLookup: Bool { rawValue & JobID.lookupBit != 0 }

  /// Returns a fast hash, which is safe because ingest alone assigns job ids.
  package func _rawHashValue(seed: Int) -> Int { rawValue.hash(seed: seed) }

  private static let lookupBit: UInt64 = 1 << 63
}

/// Unit of work that ingest leases to a worker: the geocoding of one post or one lookup.
package struct Job: Sendable, Equatable {
  /// Text or query that the worker geocodes.
  package enum Request: Sendable, Equatable {
    /// The place of a post as typed, 1 … `Limits.placeBytesMax` bytes.
    case post(String)
    /// The query of a lookup. The case is indirect, so that it does not enlarge the jobs of thousands of posts.
    indirect case lookup(PlaceQuery)
  }

  package let id: JobID
  /// Account of the post, for `FairQueue`, in which accounts take turns. Not used for a lookup.
  package let account: AccountID
  package let request: Request
  /// Coordinates from the client, to compare with the result. Workers do not get the coordinates.
  package let clientCoordinate: Coordinate?
  /// Number of failed attempts so far, as stored.
  package var attempts: Int
  /// Number of workers lost so far, as stored.
  package var leaseLosses: Int
  /// Trace of the request that created the job.
  package var trace: TraceContext?
  /// True if the job's worker may make one request to a remote provider. The permit ends with the lease.
  package var isRemote = false
  /// Other data of the job's post, so that the settlement need not read the post. Nil for a lookup, and for a job that
  /// was read from the disk. Workers do not get the data.
  package var content: PostContent?

  /// Data of a post at its acceptance. A queued post does not change, but its owner may delete it.
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

/// A worker's result for a job, without its lease.
package enum WorkerReply: Sendable, Equatable {
  /// The geocoding has ended.
  case outcome(JobOutcome)
  /// The gazetteer's 0 … `Limits.candidatesMax` places do not suffice for the text. The worker requests a remote
  /// permit, because a remote provider may know more.
  case needsRemote([Place])

  /// True if the geocoding has failed.
  package var isFailure: Bool { if case .outcome(.failed) = self { true } else { false } }
}

/// Outcome of a job's geocoding.
package enum JobOutcome: Sendable, Equatable {
  /// Places found, best first, at least one.
  case located([Place])
  /// No place found for this text. The outcome is final.
  case notFound
  case failed(Failure)

  /// Reason why the geocoding failed.
  package struct Failure: Sendable, Equatable {
    /// Kind of failure, which determines the retry.
    package enum Kind: UInt8, Sendable {
      /// Retry later. The failure counts as an attempt.
      case transient = 1
      /// Do not retry.
      case permanent = 2
      /// The worker did not start the job. Retry later. The failure does not count as an attempt.
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
  /// Returns the outcome of a job whose remote provider is unavailable: the gazetteer's places, marked as degraded.
  /// Without places, the outcome is a transient failure, because `notFound` would be final.
  ///
  /// - Parameter code: Reason for machines.
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

/// Right of a worker to report the result of a job. Tokens only rise, over restarts too, so ingest can tell an earlier
/// lease from a later lease.
package struct Lease: Sendable, Hashable {
  package let job: JobID
  /// Fencing token: `generation << 40 | counter`. The counter suffices for a trillion leases between two starts of
  /// ingest.
  package let token: UInt64

  package init(job: JobID, token: UInt64) {
    self.job = job
    self.token = token
  }

  /// Returns a fast hash of the token, which suffices because ingest alone assigns tokens, and assigns each only once.
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

/// Ingest's acknowledgement of a result. The worker then forgets the result, except after `retryLater`.
package enum Disposition: UInt8, Sendable {
  /// The outcome is durable.
  case committed = 1
  /// The job was settled before, or never existed. Nothing changed.
  case duplicate = 2
  /// The lease does not count. A failure counts only under the job's current lease, and a success under any lease that
  /// the job had.
  case stale = 3
  /// Ingest could not store the result. The worker resends the result after a pause.
  case retryLater = 4
}
