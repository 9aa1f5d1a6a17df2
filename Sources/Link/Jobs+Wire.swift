import OnTheMap
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

extension Onthemap_Jobs_V1_Job {
  init(_ assignment: Dispatch.Assignment) {
    jobID = assignment.lease.job.rawValue
    leaseToken = assignment.lease.token
    leaseMs = UInt32(Limits.leaseMs)
    attempt = UInt32(assignment.job.attempts + 1)
    remote = assignment.job.isRemote
    switch assignment.job.question {
    case .post(let text):
      query = text
      limit = 1
    case .lookup(let asked):
      query = asked.text
      limit = UInt32(asked.limit)
      country = asked.country ?? ""
      lookup = .init(asked)
    }
  }

  /// Nil when it asks for what this version does not know, or forbids.
  var job: Job? {
    guard let question else { return nil }
    var job = Job(id: JobID(rawValue: jobID), account: AccountID(rawValue: 0), question: question)
    job.isRemote = remote
    return job
  }

  private var question: Job.Question? {
    // Nearly all are posts.
    if !hasLookup, limit <= 1, country.isEmpty { return .post(query) }
    guard country.isEmpty || country.utf8.count == 2 else { return nil }
    let places = min(max(1, Int(limit)), Limits.candidatesMax)
    var asked = PlaceQuery(query, limit: places, country: country.isEmpty ? nil : country)
    guard !hasLookup || lookup.read(into: &asked) else { return nil }
    return .lookup(asked)
  }
}

extension Onthemap_Jobs_V1_Lookup {
  init(_ query: PlaceQuery) {
    kind =
      switch query.kind {
      case .forward: .forward
      case .prefix: .prefix
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

  /// False when it is outside the protocol's ranges, or of a later version.
  fileprivate func read(into query: inout PlaceQuery) -> Bool {
    switch kind {
    case .unspecified, .forward: query.kind = .forward
    case .prefix: query.kind = .prefix
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

extension Onthemap_Jobs_V1_Result {
  init(_ result: JobResult) {
    jobID = result.lease.job.rawValue
    leaseToken = result.lease.token
    switch result.outcome {
    case .located(let places): located = .init(places)
    case .notFound: notFound = .init()
    case .failed(let failure): failed = .init(failure)
    case .remoteNeeded(let places): remoteNeeded = .with { $0.found = .init(places) }
    }
  }

  /// Nil when it has no outcome, or one that the protocol forbids.
  var result: JobResult? {
    let lease = Lease(job: JobID(rawValue: jobID), token: leaseToken)
    switch outcome {
    case .located(let located):
      guard let places = located.known, !places.isEmpty else { return nil }
      return JobResult(lease: lease, outcome: .located(places))
    case .remoteNeeded(let needed):
      guard let places = needed.found.known else { return nil }
      return JobResult(lease: lease, outcome: .remoteNeeded(places))
    case .notFound: return JobResult(lease: lease, outcome: .notFound)
    case .failed(let failure): return JobResult(lease: lease, outcome: .failed(failure.failure))
    case nil: return nil
    }
  }
}

extension Onthemap_Jobs_V1_Located {
  fileprivate init(_ places: [Place]) {
    self.places = places.map(Onthemap_Jobs_V1_Place.init)
    // Beside the places, not within: a place with one message more would be kept on the heap, posts' too.
    details = .init(places)
    if !details.isEmpty {
      attribution = Place.attribution(of: places).safeLine(bytesMax: Limits.attributionBytesMax)
    }
  }

  /// At least as many bytes as it takes.
  fileprivate var bytesMax: Int {
    places.reduce(details.reduce(44 + attribution.utf8.count) { $0 + $1.bytesMax }) {
      $0 + 64 + $1.label.utf8.count + $1.name.utf8.count + $1.region.utf8.count + $1.country.utf8.count
        + $1.countryCode.utf8.count
    }
  }

  /// Best first, `Limits.candidatesMax` at most. Nil when the protocol forbids it.
  fileprivate var known: [Place]? {
    let wanted = min(places.count, Limits.candidatesMax)
    var found = places.prefix(wanted).compactMap(\.place)
    guard found.count == wanted else { return nil }
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

extension Onthemap_Jobs_V1_Results {
  /// In as many messages as it takes for each to fit a frame: a longer frame would end the connection, and come again
  /// after it, for ever. A result that would not fit by itself is a failure instead, for good.
  ///
  /// - Parameter frameBytesMax: `Limits.jobFrameBytesMin` or more.
  static func parts(_ results: [JobResult], bytesMax frameBytesMax: Int = Limits.jobFrameBytesMax) -> [Self] {
    let room = frameBytesMax - 64
    var parts: [Self] = []
    var bytes = Int.max
    for result in results {
      var wire = Onthemap_Jobs_V1_Result(result)
      if wire.bytesMax > room, wire.bytes.count > room { wire = .init(result.tooLarge(wire.bytes.count, room)) }
      let size = min(wire.bytesMax, room)
      if bytes > room - size {
        parts.append(.init())
        bytes = 0
      }
      parts[parts.count - 1].results.append(wire)
      bytes += size
    }
    return parts
  }
}

extension JobResult {
  fileprivate func tooLarge(_ bytes: Int, _ room: Int) -> JobResult {
    let detail = "the answer takes \(bytes) bytes, and ingest takes frames with \(room)"
    return JobResult(lease: lease, outcome: .failed(.init(kind: .permanent, code: "result_too_large", detail: detail)))
  }
}

extension Onthemap_Jobs_V1_Result {
  /// At least as many bytes as it takes: its texts, and for each field and number the most that it may take.
  fileprivate var bytesMax: Int {
    switch outcome {
    case .located(let located): located.bytesMax
    case .remoteNeeded(let needed): 8 + needed.found.bytesMax
    case .failed(let failure): 80 + failure.code.utf8.count + failure.detail.utf8.count
    case .notFound, nil: 40
    }
  }
}

extension Onthemap_Jobs_V1_Place {
  init(_ place: Place) {
    latE7 = place.coordinate.latitudeE7
    lonE7 = place.coordinate.longitudeE7
    level = Onthemap_Jobs_V1_Level(rawValue: Int(place.level.rawValue)) ?? .unspecified
    match = Onthemap_Jobs_V1_Match(rawValue: Int(place.match.rawValue)) ?? .unspecified
    confidencePm = UInt32((min(max(place.confidence, 0), 1) * 1_000).rounded())
    label = place.label
    name = place.name
    region = place.region
    country = place.country
    countryCode = place.countryCode
  }

  /// Nil when the protocol forbids it.
  var place: Place? {
    guard let coordinate = Coordinate(latitudeE7: latE7, longitudeE7: lonE7),
      let level = UInt8(exactly: level.rawValue).flatMap(Place.Level.init),
      let match = UInt8(exactly: match.rawValue).flatMap(Place.Match.init),
      !label.isEmpty, countryCode.utf8.count <= 2, confidencePm <= 1_000,
      [label, name, region, country, countryCode].allSatisfy({
        $0.utf8.count <= 2 * Limits.placeBytesMax && $0.isSafeLine
      })
    else { return nil }
    return Place(
      coordinate: coordinate, level: level, match: match, confidence: Double(confidencePm) / 1_000, label: label,
      name: name, region: region, country: country, countryCode: countryCode)
  }
}

extension Onthemap_Jobs_V1_Failure {
  init(_ failure: JobOutcome.Failure) {
    kind = Onthemap_Jobs_V1_FailureKind(rawValue: Int(failure.kind.rawValue)) ?? .transient
    code = failure.code.safeLine(bytesMax: 64)
    detail = failure.detail.safeLine(bytesMax: 256)
    retryAfterMs = UInt32(clamping: failure.retryAfterMs)
  }

  /// An unknown kind is read as transient: trying again is always right.
  var failure: JobOutcome.Failure {
    JobOutcome.Failure(
      kind: UInt8(exactly: kind.rawValue).flatMap(JobOutcome.Failure.Kind.init) ?? .transient,
      code: code.safeLine(bytesMax: 64), detail: detail.safeLine(bytesMax: 256), retryAfterMs: Int64(retryAfterMs))
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

  /// Nil when the bytes are not a frame of this protocol's major version.
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

  /// Nil when the bytes are not a frame of this protocol; of another major version, it may be.
  init?(_ frames: [[UInt8]]) {
    guard frames.count == 1, let bytes = frames.first, let frame = try? IngestFrame(serializedBytes: bytes),
      frame.magic == Protocol.magic
    else { return nil }
    self = frame
  }
}
