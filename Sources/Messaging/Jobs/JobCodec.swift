import Domain
import SwiftProtobuf

/// A codec for the most frequent frames of the job link: jobs, results and acknowledgements.
///
/// Nearly all of the link's traffic consists of these frames, so the codec converts directly between bytes and the
/// domain's values, field by field. The generated code handles all other frames and unusual ones. Tests check that both
/// give the same bytes and values.
enum JobCodec {
  /// Returns a frame of jobs for a worker.
  static func jobs(_ assignments: [JobScheduler.Assignment], session: UInt64) -> [UInt8] {
    frame(session, body: 17, bytes: assignments.count * 80) { frame in
      for assignment in assignments { frame.message(1) { $0.job(assignment) } }
    }
  }

  /// Returns a frame of acknowledgements. 1,000 of them take 23 KB, and a frame has space for about 2,800.
  static func acks(_ acks: some Collection<(lease: Lease, disposition: Disposition)>, session: UInt64) -> [UInt8] {
    frame(session, body: 18, bytes: acks.count * 24) { frame in
      for (lease, disposition) in acks {
        frame.message(1) { ack in
          ack.lease(lease)
          ack.number(3, UInt64(disposition.rawValue))
        }
      }
    }
  }

  /// Returns frames of results, each within the limit. Ingest would end the connection after a longer frame, and the
  /// worker would resend that frame after every reconnect. A single result above the limit becomes a permanent failure.
  ///
  /// - Parameter bytesMax: Maximum bytes of a frame, at least `Limits.jobFrameBytesMin`.
  static func results(
    _ results: [JobResult], session: UInt64, bytesMax: Int = Limits.jobFrameBytesMax
  ) -> [[UInt8]] {
    // 32 bytes hold the frame around the results: magic, version, session, and the length of the body.
    let bodyBytesMax = bytesMax - 32
    var frames: [[UInt8]] = []
    var part = FieldWriter(capacity: min(bytesMax, results.count * 192))
    for result in results {
      let length = part.bytes.count
      part.message(1) { $0.result(result) }
      if part.bytes.count - length > bodyBytesMax {
        let bytes = part.cut(after: length).bytes.count
        part.message(1) { $0.result(result.tooLarge(bytes, bodyBytesMax)) }
      }
      guard part.bytes.count > bodyBytesMax, length > 0 else { continue }
      let next = part.cut(after: length)
      frames.append(frame(session, body: 18, bytes: part.bytes.count) { $0.add(part.bytes) })
      part = next
    }
    if !part.bytes.isEmpty { frames.append(frame(session, body: 18, bytes: part.bytes.count) { $0.add(part.bytes) }) }
    return frames
  }

  /// Returns a frame with one body.
  ///
  /// - Parameter bytes: Estimated bytes of the body.
  private static func frame(
    _ session: UInt64, body: UInt8, bytes: Int, _ write: (inout FieldWriter) -> Void
  ) -> [UInt8] {
    var frame = FieldWriter(capacity: bytes + 32)
    frame.version()
    frame.fixed64(4, session)
    frame.message(body, write)
    return frame.bytes
  }
}

extension JobResult {
  fileprivate func tooLarge(_ bytes: Int, _ bytesMax: Int) -> JobResult {
    let detail = "the result has \(bytes) bytes; ingest accepts at most \(bytesMax)"
    return JobResult(lease: lease, outcome: .failed(.init(kind: .permanent, code: "result_too_large", detail: detail)))
  }
}

/// A worker's message, as ingest decodes it.
enum WorkerMessage {
  /// A result and its lease. The reply is nil if the protocol forbids the result.
  typealias DecodedResult = (lease: Lease, reply: WorkerReply?)

  case results(session: UInt64, [DecodedResult])
  case other(WorkerFrame)

  /// Decodes a message. Nil if the frames are not a message of this protocol.
  init?(_ frames: ArraySlice<[UInt8]>) {
    if frames.count == 1, let bytes = frames.first, let message = WorkerMessage(fieldByField: bytes) {
      self = message
      return
    }
    guard let frame = WorkerFrame(frames) else { return nil }
    guard frame.session != 0, frame.major == Protocol.major, case .results(let results)? = frame.body else {
      self = .other(frame)
      return
    }
    self = .results(
      session: frame.session,
      results.results.map {
        (Lease(job: JobID(rawValue: $0.jobID), token: $0.leaseToken), $0.result?.reply)
      })
  }

  /// Decodes a message field by field. Nil also for a message that only the generated code can read.
  init?(fieldByField bytes: [UInt8]) {
    guard bytes.count <= Limits.jobFrameBytesMax,
      let (session, results) = read(bytes, body: 18, decodeResult)
    else { return nil }
    self = .results(session: session, results)
  }
}

/// A message of ingest, as a worker decodes it.
enum IngestMessage {
  struct Task {
    let lease: Lease
    /// The job. Nil if this version does not know the request.
    let job: Job?
  }

  struct Acknowledgement {
    let lease: Lease
    let disposition: Disposition
  }

  case jobs(session: UInt64, [Task])
  case acks(session: UInt64, [Acknowledgement])
  case other(IngestFrame)

  /// Decodes a message. Nil if the frames are not a message of this protocol. A message of another major version is
  /// `other`.
  init?(_ frames: [[UInt8]]) {
    if frames.count == 1, let message = IngestMessage(fieldByField: frames[0]) {
      self = message
      return
    }
    guard let frame = IngestFrame(frames) else { return nil }
    switch frame.body {
    case _ where frame.major != Protocol.major: self = .other(frame)
    case .jobs(let jobs)?:
      self = .jobs(
        session: frame.session,
        jobs.jobs.map { Task(lease: Lease(job: JobID(rawValue: $0.jobID), token: $0.leaseToken), job: $0.job) })
    case .acks(let acks)?:
      self = .acks(
        session: frame.session,
        acks.acks.map { ack in
          // An unknown disposition means a retry, which is always safe.
          let disposition = UInt8(exactly: ack.disposition.rawValue).flatMap(Disposition.init) ?? .retryLater
          let lease = Lease(job: JobID(rawValue: ack.jobID), token: ack.leaseToken)
          return Acknowledgement(lease: lease, disposition: disposition)
        })
    default: self = .other(frame)
    }
  }

  /// Decodes a message field by field. Nil also for a message that only the generated code can read.
  init?(fieldByField bytes: [UInt8]) {
    if let (session, jobs) = read(bytes, body: 17, Task.init) {
      self = .jobs(session: session, jobs)
    } else if let (session, acks) = read(bytes, body: 18, Acknowledgement.init) {
      self = .acks(session: session, acks)
    } else {
      return nil
    }
  }
}

/// Decodes a frame of this version whose body holds only repeated messages in field 1. Nil for any other frame.
private func read<Element>(
  _ bytes: [UInt8], body: Int, _ element: (inout FieldReader) -> Element?
) -> (session: UInt64, elements: [Element])? {
  bytes.withUnsafeBytes { bytes in
    var reader = FieldReader(bytes)
    guard reader.isOfThisVersion(), case (4, .fixed64(let session))? = reader.next(), session != 0,
      case (body, .bytes(let contents))? = reader.next(), reader.isAtEnd
    else { return nil }
    return FieldReader.elements(contents, element).map { (session, $0) }
  }
}

extension FieldWriter {
  fileprivate mutating func lease(_ lease: Lease) {
    fixed64(1, lease.job.rawValue)
    fixed64(2, lease.token)
  }

  fileprivate mutating func job(_ assignment: JobScheduler.Assignment) {
    guard case .post(let text) = assignment.job.request else {
      return add(Onthemap_Jobs_V1_Job(assignment).bytes)
    }
    lease(assignment.lease)
    number(3, UInt64(Limits.leaseMs))
    number(4, UInt64(assignment.job.attempts + 1))
    self.text(5, text)
    number(6, 1)
    number(9, assignment.job.isRemote ? 1 : 0)
    if let trace = assignment.job.trace { self.text(10, trace.description) }
  }

  fileprivate mutating func result(_ result: JobResult) {
    switch result.reply {
    case .outcome(.located(let places)) where places.allSatisfy({ $0.detail == nil }):
      lease(result.lease)
      message(8) { located in
        for place in places { located.message(1) { $0.place(place) } }
      }
    case .outcome(.notFound):
      lease(result.lease)
      message(9) { _ in }
    default: add(Onthemap_Jobs_V1_Result(result).bytes)
    }
  }

  private mutating func place(_ place: Place) {
    signed(1, place.coordinate.latitudeE7)
    signed(2, place.coordinate.longitudeE7)
    number(3, UInt64(place.level.rawValue))
    number(4, UInt64(place.match.rawValue))
    number(5, UInt64(place.thousandths))
    text(6, place.label)
    text(7, place.name)
    text(8, place.region)
    text(9, place.country)
    text(10, place.countryCode)
  }
}

extension IngestMessage.Task {
  /// Decodes a post's job. Nil for any other job.
  fileprivate init?(_ fields: inout FieldReader) {
    var (id, token, query, isRemote): (UInt64, UInt64, String, Bool) = (0, 0, "", false)
    var trace: TraceContext?
    while !fields.isAtEnd {
      switch fields.next() {
      case (1, .fixed64(let value))?: id = value
      case (2, .fixed64(let value))?: token = value
      case (3, .varint)?, (4, .varint)?, (6, .varint(1))?: break
      case (5, .bytes(let bytes))?:
        guard let text = String(utf8: bytes) else { return nil }
        query = text
      case (9, .varint(1))?: isRemote = true
      case (10, .bytes(let bytes))?:
        guard let text = String(utf8: bytes) else { return nil }
        trace = TraceContext(text)
      default: return nil
      }
    }
    var job = Job(id: JobID(rawValue: id), account: AccountID(rawValue: 0), query: query)
    job.isRemote = isRemote
    job.trace = trace
    self.job = job
    lease = Lease(job: job.id, token: token)
  }
}

extension IngestMessage.Acknowledgement {
  fileprivate init?(_ fields: inout FieldReader) {
    guard case (1, .fixed64(let job))? = fields.next(), case (2, .fixed64(let token))? = fields.next(),
      case (3, .varint(let number))? = fields.next(), fields.isAtEnd,
      let disposition = UInt8(exactly: number).flatMap(Disposition.init)
    else { return nil }
    lease = Lease(job: JobID(rawValue: job), token: token)
    self.disposition = disposition
  }
}

/// Decodes a result with places, or without a match. Nil for any other outcome, which the generated code reads.
private func decodeResult(_ fields: inout FieldReader) -> WorkerMessage.DecodedResult? {
  guard case (1, .fixed64(let job))? = fields.next(), case (2, .fixed64(let token))? = fields.next(),
    case (let outcome, .bytes(let bytes))? = fields.next(), fields.isAtEnd
  else { return nil }
  let lease = Lease(job: JobID(rawValue: job), token: token)
  switch outcome {
  case 8:
    var list = FieldReader(bytes)
    var places: [Place] = []
    while !list.isAtEnd {
      guard places.count < Limits.candidatesMax, case (1, .bytes(let bytes))? = list.next() else { return nil }
      var fields = FieldReader(bytes)
      guard let place = Place(&fields) else { return nil }
      places.append(place)
    }
    return places.isEmpty ? nil : (lease, .outcome(.located(places)))
  case 9 where bytes.isEmpty: return (lease, .outcome(.notFound))
  default: return nil
  }
}

extension Place {
  fileprivate init?(_ fields: inout FieldReader) {
    var (latitude, longitude): (Int32, Int32) = (0, 0)
    var (level, match, thousandths): (UInt64, UInt64, UInt64) = (0, 0, 0)
    var (label, name, region, country, countryCode) = ("", "", "", "", "")
    while !fields.isAtEnd {
      switch fields.next() {
      case (1, .varint(let value))?:
        guard let number = Int32(zigzag: value) else { return nil }
        latitude = number
      case (2, .varint(let value))?:
        guard let number = Int32(zigzag: value) else { return nil }
        longitude = number
      case (3, .varint(let value))?: level = value
      case (4, .varint(let value))?: match = value
      case (5, .varint(let value))?: thousandths = value
      case (6, .bytes(let bytes))?: if !label.read(bytes) { return nil }
      case (7, .bytes(let bytes))?: if !name.read(bytes) { return nil }
      case (8, .bytes(let bytes))?: if !region.read(bytes) { return nil }
      case (9, .bytes(let bytes))?: if !country.read(bytes) { return nil }
      case (10, .bytes(let bytes))?: if !countryCode.read(bytes) { return nil }
      default: return nil
      }
    }
    guard let coordinate = Coordinate(latitudeE7: latitude, longitudeE7: longitude),
      let level = UInt8(exactly: level).flatMap(Level.init), let match = UInt8(exactly: match).flatMap(Match.init),
      thousandths <= 1_000
    else { return nil }
    self.init(
      coordinate: coordinate, level: level, match: match, confidence: Double(thousandths) / 1_000, label: label,
      name: name, region: region, country: country, countryCode: countryCode)
    guard isAllowed else { return nil }
  }
}
