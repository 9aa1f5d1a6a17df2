@testable import Domain

extension Coordinate {
  static func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let point = Coordinate(latitude: latitude, longitude: longitude) else {
      preconditionFailure("A test names a point that is not on the earth.")
    }
    return point
  }
}

extension PostID {
  static func numbered(_ number: UInt64) -> PostID {
    guard let id = PostID(rawValue: number) else { preconditionFailure("A test names an id that does not exist.") }
    return id
  }
}

extension Epoch {
  static func filled(with byte: UInt8) -> Epoch {
    guard let epoch = Epoch([UInt8](repeating: byte, count: 16)) else {
      preconditionFailure("Sixteen bytes are an epoch.")
    }
    return epoch
  }
}

extension FeedEntry {
  static func sample(id: UInt64, seq: UInt64) -> FeedEntry {
    FeedEntry(
      id: .numbered(id), seq: seq, account: AccountID(rawValue: 1), firstName: "Ada", lastName: "Lovelace",
      place: "London", label: "London, England, United Kingdom", countryCode: "GB", link: "https://example.org/ada",
      coordinate: .at(51.5, -0.1), agreement: .notGiven, createdMs: 1, updatedMs: 2)
  }
}

extension Place {
  static func sample(_ latitude: Double, _ longitude: Double, level: Level = .city) -> Place {
    Place(
      coordinate: .at(latitude, longitude), level: level, match: .exact, confidence: 0.9,
      label: "Seattle, Washington, United States", name: "Seattle", region: "Washington", country: "United States",
      countryCode: "US")
  }
}

extension Job {
  static func post(_ number: UInt64, account: Int64 = 1, attempts: Int = 0, leaseLosses: Int = 0) -> Job {
    Job(
      id: JobID(rawValue: number), account: AccountID(rawValue: account), query: "Oslo", attempts: attempts,
      leaseLosses: leaseLosses)
  }

  static func lookup(_ number: UInt64) -> Job {
    Job(id: JobID(lookup: number), account: AccountID(rawValue: 0), query: "Oslo")
  }
}

extension JobOutcome {
  static let found = JobOutcome.located([.sample(59.9, 10.7)])
  static let failure = failure(.transient)

  static func failure(_ kind: Failure.Kind) -> JobOutcome {
    .failed(.init(kind: kind, code: "down", detail: "try again"))
  }
}

extension JobResult {
  static func found(_ lease: Lease) -> JobResult { JobResult(lease: lease, outcome: .found) }

  static func failed(_ lease: Lease, _ kind: JobOutcome.Failure.Kind = .transient) -> JobResult {
    JobResult(lease: lease, outcome: .failure(kind))
  }
}
