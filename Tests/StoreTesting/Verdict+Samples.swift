package import Domain

extension Verdict {
  package static func at(_ latitudeE7: Int32, label: String = "Oslo, Norway") -> Verdict {
    guard let point = Coordinate(latitudeE7: latitudeE7, longitudeE7: -1) else {
      preconditionFailure("A test names a point that is not on the earth.")
    }
    return .published(.init(coordinate: point, label: label, countryCode: "NO", agreement: .verified, match: .fallback))
  }
}

extension Verdict.Published {
  package static var rome: Verdict.Published {
    guard let point = Coordinate(latitudeE7: 418_933_000, longitudeE7: 124_829_000) else {
      preconditionFailure("Rome is on the earth.")
    }
    return .init(coordinate: point, label: "Rome, Italy", countryCode: "IT", agreement: .notGiven, match: .exact)
  }
}

extension Job {
  /// The job as a store returns it at the start.
  package var asRead: Job {
    var job = self
    job.content = nil
    return job
  }
}
