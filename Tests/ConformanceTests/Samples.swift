import Logging
import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

/// Waits until a condition holds. Records an issue if it does not within two minutes.
func eventually(
  _ claim: String, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + .seconds(120)
  while try !holds() {
    guard ContinuousClock.now < deadline else {
      Issue.record("not within two minutes: \(claim)", sourceLocation: sourceLocation)
      throw CancellationError()
    }
    try await Task.sleep(for: .milliseconds(3))
  }
}

/// A logger that drops all lines.
let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension Endpoint {
  /// A free port of this host.
  static func anyPort() throws -> Endpoint { try Endpoint("tcp://127.0.0.1:*") }

  var port: UInt16 { UInt16(description.split(separator: ":").last ?? "") ?? 0 }
}

extension ConformanceReport {
  /// The names of the rules that do not hold.
  var brokenRules: Set<String> {
    Set(findings.filter { if case .fail = $0.verdict { true } else { false } }.map(\.rule.name))
  }
}

extension PostID {
  static func numbered(_ number: UInt64) -> PostID {
    guard let id = PostID(rawValue: number) else { preconditionFailure("A test names an id that does not exist.") }
    return id
  }
}

extension FeedEntry {
  static func sample(_ seq: UInt64) -> FeedEntry { SampleList.entry(seq) }
}

extension FeedState {
  /// A list with posts of these sequence numbers.
  static func sample(_ seqs: ClosedRange<UInt64>) -> FeedState {
    SampleList.history(0, entries: seqs.upperBound - seqs.lowerBound + 1, after: seqs.lowerBound - 1)
  }
}

extension Place {
  static func sample(_ latitude: Double, _ longitude: Double) -> Place {
    guard let point = Coordinate(latitude: latitude, longitude: longitude) else {
      preconditionFailure("A test names a point that is not on the earth.")
    }
    return Place(
      coordinate: point, level: .city, match: .exact, confidence: 0.9, label: "Seattle, Washington, United States",
      name: "Seattle", region: "Washington", country: "United States", countryCode: "US")
  }
}
