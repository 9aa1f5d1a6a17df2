/// The name of a unit of work on the job link: a post's own number, or a lookup's with the highest bit set.
package struct JobID: RawRepresentable, Sendable, Hashable {
  package let rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The job of a queued post.
  package init(_ post: PostID) { rawValue = post.rawValue }
  /// A lookup that no row stands for; lost, it is not repeated.
  package init(lookup: UInt64) { rawValue = lookup | JobID.lookupBit }

  /// The number below the lookups of a start of ingest; all of earlier starts are below it.
  package static func lookupsBefore(generation: UInt32) -> UInt64 { UInt64(generation) << 39 }

  /// Nil for a lookup.
  package var post: PostID? { isLookup ? nil : PostID(rawValue: rawValue) }
  /// Whether no row stands for it.
  package var isLookup: Bool { rawValue & JobID.lookupBit != 0 }

  /// Ingest alone numbers jobs.
  package func _rawHashValue(seed: Int) -> Int { rawValue.hash(seed: seed) }

  private static let lookupBit: UInt64 = 1 << 63
}

/// A text whose place is to be found.
package struct Job: Sendable, Equatable {
  /// What is to be found out.
  package enum Request: Sendable, Equatable {
    /// The place of a post, by its text of 1 … `Limits.placeBytesMax` bytes.
    case post(String)
    /// Whatever a lookup asks. In a box of its own, so that posts, which wait by the thousand, take no more room.
    indirect case lookup(PlaceQuery)
  }

  package let id: JobID
  /// Account whose turn the job takes; lookups have a line of their own.
  package let account: AccountID
  package let request: Request
  /// The client's own coordinates, to compare the answer with; they do not travel.
  package let given: Coordinate?
  /// Failed tries so far, as on disk.
  package var attempts: Int
  /// Workers lost over it so far, as on disk.
  package var leaseLosses: Int
  /// Of the request that it came with.
  package var trace: TraceContext?
  /// Whether its worker may make one request to a remote provider. Goes with the lease.
  package var isRemote = false
  /// Other data of its post, so that the settlement need not read it back; nil for a lookup, and for a job that was
  /// read from the disk. Not sent to workers.
  package var content: PostContent?

  /// Of a post as it was accepted: nothing changes it while it is queued, but its owner may delete it.
  package struct PostContent: Sendable, Equatable {
    package let link: String
    /// Milliseconds since 1970, UTC.
    package let createdMs: Int64

    package init(link: String, createdMs: Int64) {
      self.link = link
      self.createdMs = createdMs
    }
  }

  /// A post's.
  package init(
    id: JobID, account: AccountID, query: String, given: Coordinate? = nil, attempts: Int = 0, leaseLosses: Int = 0
  ) {
    self.init(id: id, account: account, request: .post(query), given: given)
    self.attempts = attempts
    self.leaseLosses = leaseLosses
  }

  /// Any, at its first try.
  package init(id: JobID, account: AccountID, request: Request, given: Coordinate? = nil) {
    self.id = id
    self.account = account
    self.request = request
    self.given = given
    attempts = 0
    leaseLosses = 0
  }

  /// The text: 1 … `Limits.placeBytesMax` bytes.
  package var query: String {
    switch request {
    case .post(let text): text
    case .lookup(let query): query.text
    }
  }

  /// The question as a geocoder takes it.
  package var placeQuery: PlaceQuery {
    switch request {
    case .post(let text): PlaceQuery(text)
    case .lookup(let query): query
    }
  }
}

/// An answer of a worker to a job: a closed set.
package enum WorkerReply: Sendable, Equatable {
  /// The lookup has ended.
  case outcome(JobOutcome)
  /// The text asks for more than the gazetteer's 0 … `Limits.candidatesMax` places. A remote provider may know more,
  /// and the worker requests a permit to ask it.
  case needsRemote([Place])

  /// True if the lookup has failed.
  package var isFailure: Bool { if case .outcome(.failed) = self { true } else { false } }
}

/// The end of a lookup: a closed set.
package enum JobOutcome: Sendable, Equatable {
  /// Best first, one at least.
  case located([Place])
  /// Final: no place is known by this text.
  case notFound
  case failed(Failure)

  /// Why a worker could not say.
  package struct Failure: Sendable, Equatable {
    /// What to do about it.
    package enum Kind: UInt8, Sendable {
      /// Try again later; counts as an attempt.
      case transient = 1
      /// Trying again is useless.
      case permanent = 2
      /// Not even started; try again, not counted.
      case notStarted = 3
    }
    package var kind: Kind
    /// A word for machines.
    package var code: String
    /// A sentence for people.
    package var detail: String
    /// Not before, in ms; 0 where the worker does not know.
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
  /// Returns the outcome where no remote provider can be asked: the gazetteer's places, marked as degraded. Without any
  /// the lookup has failed and is retried, because `notFound` would be final.
  ///
  /// - Parameter code: the reason, for machines.
  package static func degraded(_ places: [Place], code: String) -> JobOutcome {
    guard !places.isEmpty else {
      return .failed(.init(kind: .transient, code: code, detail: "the remote provider cannot be asked now"))
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

  /// Returns the outcome of a lookup that gets no permit to ask a remote provider.
  static func withoutPermit(_ places: [Place]) -> JobOutcome { .degraded(places, code: "remote_denied") }
}

/// A job together with the right to answer it. Tokens only rise, over restarts too, so a later lease fences off an
/// earlier.
package struct Lease: Sendable, Hashable {
  package let job: JobID
  /// `boot number << 40 | counter`: a trillion leases between two starts of ingest.
  package let token: UInt64

  package init(job: JobID, token: UInt64) {
    self.job = job
    self.token = token
  }

  /// Ingest alone gives out tokens, and no two the same.
  package func _rawHashValue(seed: Int) -> Int { token.hash(seed: seed) }
}

/// A worker's answer under its lease.
package struct JobResult: Sendable, Equatable {
  package let lease: Lease
  package let reply: WorkerReply

  package init(lease: Lease, reply: WorkerReply) {
    self.lease = lease
    self.reply = reply
  }

  package init(lease: Lease, outcome: JobOutcome) { self.init(lease: lease, reply: .outcome(outcome)) }
}

/// What ingest did with a result; final for the worker unless it is `retryLater`.
package enum Disposition: UInt8, Sendable {
  /// On disk.
  case committed = 1
  /// The job was settled before, or never was: nothing changed.
  case duplicate = 2
  /// A failure under a lease that is not the job's current one, or a success under one that the job never had.
  case stale = 3
  /// Not taken: send it again after a pause.
  case retryLater = 4
}
