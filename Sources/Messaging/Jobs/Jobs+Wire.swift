import Domain
import FoundationEssentials
import SwiftProtobuf

typealias WorkerFrame = Onthemap_Jobs_V1_WorkerFrame
typealias IngestFrame = Onthemap_Jobs_V1_IngestFrame

extension Onthemap_Jobs_V1_LeaseRef {
  init(_ lease: Lease) {
    jobID = lease.job.rawValue
    leaseToken = lease.token
  }

  var lease: Lease { Lease(job: JobID(rawValue: jobID), token: leaseToken) }
}

extension Onthemap_Jobs_V1_Hello {
  /// The fault of the name or instance, and the remedy. Nil if both are valid.
  var fault: String? {
    let nameBytes = worker.utf8.count
    if !(1...Limits.peerNameBytesMax).contains(nameBytes) {
      return "Hello has a name of \(nameBytes) bytes; give it 1 to \(Limits.peerNameBytesMax)"
    }
    if !worker.isSafeLine { return "Hello has a name with a control or invisible character; remove the character" }
    if instance.count != 16 { return "Hello has an instance of \(instance.count) bytes; use 16 random bytes" }
    return nil
  }
}

extension Onthemap_Jobs_V1_Job {
  init(_ assignment: JobScheduler.Assignment) {
    jobID = assignment.lease.job.rawValue
    leaseToken = assignment.lease.token
    leaseMs = UInt32(Limits.leaseMs)
    attempt = UInt32(assignment.job.attempts + 1)
    remotePermit = assignment.job.isRemote
    if let trace = assignment.job.trace { traceparent = trace.description }
    switch assignment.job.request {
    case .post(let text):
      query = text
      limit = 1
    case .lookup(let placeQuery):
      query = placeQuery.text
      limit = UInt32(placeQuery.limit)
      country = placeQuery.country ?? ""
      lookup = .init(placeQuery)
    }
  }

  /// The job. Nil if this version does not know the request, or if the protocol forbids the request.
  var job: Job? {
    guard let request else { return nil }
    var job = Job(id: JobID(rawValue: jobID), account: AccountID(rawValue: 0), request: request)
    job.isRemote = remotePermit
    if !traceparent.isEmpty { job.trace = TraceContext(traceparent) }
    return job
  }

  private var request: Job.Request? {
    // Nearly all jobs are of posts.
    if !hasLookup, limit <= 1, country.isEmpty { return .post(query) }
    guard country.isEmpty || country.utf8.count == 2 else { return nil }
    let places = min(max(1, Int(limit)), Limits.candidatesMax)
    var placeQuery = PlaceQuery(query, limit: places, country: country.isEmpty ? nil : country)
    guard !hasLookup || lookup.read(into: &placeQuery) else { return nil }
    return .lookup(placeQuery)
  }
}

extension Onthemap_Jobs_V1_Lookup {
  init(_ query: PlaceQuery) {
    kind =
      switch query.kind {
      case .forward: .forward
      case .autocomplete: .autocomplete
      case .reverse: .reverse
      }
    if let point = query.focus {
      focus = .with {
        $0.latE7 = point.latitudeE7
        $0.lonE7 = point.longitudeE7
      }
    }
    language = query.language ?? ""
    levels = query.levels.sorted().map { Onthemap_Jobs_V1_Level(rawValue: Int($0.rawValue)) ?? .unspecified }
  }

  /// Copies the fields into a query. Returns false if a field is out of the protocol's range, or of a later version.
  fileprivate func read(into query: inout PlaceQuery) -> Bool {
    switch kind {
    case .unspecified, .forward: query.kind = .forward
    case .autocomplete: query.kind = .autocomplete
    case .reverse: query.kind = .reverse
    case .UNRECOGNIZED: return false
    }
    if hasFocus {
      guard let point = Coordinate(latitudeE7: focus.latE7, longitudeE7: focus.lonE7) else { return false }
      query.focus = point
    }
    guard language.isEmpty || language.utf8.count == 2 else { return false }
    query.language = language.isEmpty ? nil : language
    query.levels = Set(levels.compactMap { UInt8(exactly: $0.rawValue).flatMap(Place.Level.init) })
    query.isDetailed = true
    return levels.isEmpty || !query.levels.isEmpty
  }
}

extension Onthemap_Jobs_V1_Welcome {
  /// Creates a Welcome.
  ///
  /// - Parameters:
  ///   - heartbeatMs: Interval of heartbeats, in milliseconds.
  ///   - livenessMs: Liveness timeout, in milliseconds.
  ///   - frameBytesMax: Maximum bytes of a frame.
  ///   - start: The start of ingest. Nil for none.
  init(heartbeatMs: Int64, livenessMs: Int64, frameBytesMax: Int, start: IngestStart? = nil) {
    self.heartbeatMs = UInt32(heartbeatMs)
    self.livenessMs = UInt32(livenessMs)
    maxMessageBytes = UInt32(frameBytesMax)
    maxWindow = UInt32(Limits.windowMax)
    if let start { (epoch, generation) = (Data(start.epoch.bytes), start.generation) }
  }
}

extension Onthemap_Jobs_V1_Result {
  init(_ result: JobResult) {
    jobID = result.lease.job.rawValue
    leaseToken = result.lease.token
    switch result.reply {
    case .outcome(.located(let places)): located = .init(places)
    case .outcome(.notFound): notFound = .init()
    case .outcome(.failed(let failure)): failed = .init(failure)
    case .needsRemote(let places): remoteNeeded = .with { $0.found = .init(places) }
    }
  }

  /// The result. Nil if there is no outcome, or one that the protocol forbids.
  var result: JobResult? {
    let lease = Lease(job: JobID(rawValue: jobID), token: leaseToken)
    switch outcome {
    case .located(let located):
      guard let places = located.validPlaces, !places.isEmpty else { return nil }
      return JobResult(lease: lease, outcome: .located(places))
    case .remoteNeeded(let needed):
      guard let places = needed.found.validPlaces else { return nil }
      return JobResult(lease: lease, reply: .needsRemote(places))
    case .notFound: return JobResult(lease: lease, outcome: .notFound)
    case .failed(let failure): return JobResult(lease: lease, outcome: .failed(failure.failure))
    case nil: return nil
    }
  }
}

extension Onthemap_Jobs_V1_Located {
  fileprivate init(_ places: [Place]) {
    self.places = places.map(Onthemap_Jobs_V1_Place.init)
    // The details are not in the places. A further message field would put every place on the heap, even for posts.
    details = .init(places)
    if !details.isEmpty {
      attribution = Place.attribution(of: places).safeLine(bytesMax: Limits.attributionBytesMax)
    }
  }

  /// The places, best first, at most `Limits.candidatesMax`. Nil if the protocol forbids one of them.
  fileprivate var validPlaces: [Place]? {
    let count = min(places.count, Limits.candidatesMax)
    var found = places.prefix(count).compactMap(\.place)
    guard found.count == count else { return nil }
    if details.isEmpty { return found }
    guard details.count == places.count else { return nil }
    let attribution = attribution.safeLine(bytesMax: Limits.attributionBytesMax)
    for index in found.indices {
      guard let detail = details[index].detail(attribution: attribution) else { return nil }
      found[index].detail = detail
    }
    return found
  }
}

extension Onthemap_Jobs_V1_Place {
  init(_ place: Place) {
    latE7 = place.coordinate.latitudeE7
    lonE7 = place.coordinate.longitudeE7
    level = Onthemap_Jobs_V1_Level(rawValue: Int(place.level.rawValue)) ?? .unspecified
    match = Onthemap_Jobs_V1_Match(rawValue: Int(place.match.rawValue)) ?? .unspecified
    confidencePermille = place.thousandths
    label = place.label
    name = place.name
    region = place.region
    country = place.country
    countryCode = place.countryCode
  }

  /// The place. Nil if the protocol forbids it.
  var place: Place? {
    guard let coordinate = Coordinate(latitudeE7: latE7, longitudeE7: lonE7),
      let level = UInt8(exactly: level.rawValue).flatMap(Place.Level.init),
      let match = UInt8(exactly: match.rawValue).flatMap(Place.Match.init),
      confidencePermille <= 1_000
    else { return nil }
    let place = Place(
      coordinate: coordinate, level: level, match: match, confidence: Double(confidencePermille) / 1_000, label: label,
      name: name, region: region, country: country, countryCode: countryCode)
    return place.isAllowed ? place : nil
  }
}

extension Place {
  /// The confidence on the wire, in thousandths: 0 to 1,000.
  var thousandths: UInt32 { UInt32((min(max(confidence, 0), 1) * 1_000).rounded()) }

  /// True if the protocol allows the place's texts.
  var isAllowed: Bool {
    func isAllowed(_ text: String) -> Bool { text.utf8.count <= 2 * Limits.placeBytesMax && text.isSafeLine }
    return VisibleText(label).showsSomething && isAllowed(label) && isAllowed(name) && isAllowed(region)
      && isAllowed(country) && (countryCode.isEmpty || countryCode.isCountryCode)
  }
}

extension Onthemap_Jobs_V1_Failure {
  init(_ failure: JobOutcome.Failure) {
    kind = Onthemap_Jobs_V1_FailureKind(rawValue: Int(failure.kind.rawValue)) ?? .transient
    code = failure.code.safeLine(bytesMax: Limits.failureCodeBytesMax)
    detail = failure.detail.safeLine(bytesMax: Limits.failureDetailBytesMax)
    retryAfterMs = UInt32(clamping: failure.retryAfterMs)
  }

  /// The failure. An unknown kind becomes transient, because a retry is always safe.
  var failure: JobOutcome.Failure {
    JobOutcome.Failure(
      kind: UInt8(exactly: kind.rawValue).flatMap(JobOutcome.Failure.Kind.init) ?? .transient,
      code: code.safeLine(bytesMax: Limits.failureCodeBytesMax),
      detail: detail.safeLine(bytesMax: Limits.failureDetailBytesMax), retryAfterMs: Int64(retryAfterMs))
  }
}

extension WorkerFrame {
  init(session: UInt64, _ body: OneOf_Body) {
    magic = Protocol.magic
    major = Protocol.major
    minor = Protocol.minor
    self.session = session
    self.body = body
  }

  /// Decodes a frame of any version. Nil if the message is not one frame of this protocol.
  init?(_ frames: ArraySlice<[UInt8]>) {
    guard frames.count == 1, let bytes = frames.first, bytes.count <= Limits.jobFrameBytesMax,
      let frame = try? WorkerFrame(serializedBytes: bytes), frame.magic == Protocol.magic
    else { return nil }
    self = frame
  }
}

extension IngestFrame {
  init(session: UInt64, _ body: OneOf_Body) {
    magic = Protocol.magic
    major = Protocol.major
    minor = Protocol.minor
    self.session = session
    self.body = body
  }

  /// Decodes a frame of any version. Nil if the message is not one frame of this protocol.
  init?(_ frames: [[UInt8]]) {
    guard frames.count == 1, let bytes = frames.first, let frame = try? IngestFrame(serializedBytes: bytes),
      frame.magic == Protocol.magic
    else { return nil }
    self = frame
  }
}
