import Foundation
import Glibc
import Logging
import Synchronization
import Testing

@testable import Domain
@testable import Messaging

/// Waits until a condition holds. Records an issue and throws if the condition does not hold in time.
func eventually(
  _ claim: String, within seconds: Double = 120, sourceLocation: SourceLocation = #_sourceLocation,
  _ holds: () throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + .seconds(seconds)
  while try !holds() {
    guard ContinuousClock.now < deadline else {
      Issue.record("not within \(seconds) s: \(claim)", sourceLocation: sourceLocation)
      throw TimeoutError()
    }
    try await Task.sleep(for: .milliseconds(3))
  }
}

/// Returns the maximum number of log lines since `startMs` for an event that is logged once per interval.
func linesMax(everyMs: Int64, since startMs: Int64) -> Int { 1 + Int((Reactor.nowMs - startMs) / everyMs) }

/// Stops a reactor on its own thread, and waits for its end.
func expectEnd(of reactor: Reactor, sourceLocation: SourceLocation = #_sourceLocation) async throws {
  let isOver = Shared(false)
  Thread.detachNewThread {
    reactor.stop()
    isOver.change { $0 = true }
  }
  try await eventually("the reactor ends", sourceLocation: sourceLocation) { isOver.value }
}

struct TimeoutError: Error {}

extension IngestStart {
  static func sample(_ generation: UInt32 = 1, epoch: UInt8 = 1) -> IngestStart {
    IngestStart(epoch: .filled(with: epoch), generation: generation)
  }
}

/// A logger that drops all lines.
let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension Endpoint {
  /// Returns the endpoint of any free port of this host.
  static func anyPort() throws -> Endpoint { try Endpoint("tcp://127.0.0.1:*") }

  private static let usedPorts = Mutex<Set<UInt16>>([])

  /// Returns the endpoint of a port that a second socket can bind after the first socket. The port is below the
  /// kernel's range of ephemeral ports.
  static func lastingPort() throws -> Endpoint {
    while true {
      let port = UInt16.random(in: 10_000..<15_000)
      guard usedPorts.withLock({ $0.insert(port).inserted }) else { continue }
      let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
      defer { close(probe) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let result = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      if result == 0 { return try Endpoint("tcp://127.0.0.1:\(port)") }
    }
  }

  var port: UInt16 { UInt16(description.split(separator: ":").last ?? "") ?? 0 }
}

extension Epoch {
  static func filled(with byte: UInt8) -> Epoch {
    guard let epoch = Epoch([UInt8](repeating: byte, count: 16)) else {
      preconditionFailure("Sixteen bytes are an epoch.")
    }
    return epoch
  }
}

extension PostID {
  static func numbered(_ number: UInt64) -> PostID {
    guard let id = PostID(rawValue: number) else { preconditionFailure("A test names an id that does not exist.") }
    return id
  }
}

extension Coordinate {
  static func e7(_ latitude: Int32, _ longitude: Int32) -> Coordinate {
    guard let point = Coordinate(latitudeE7: latitude, longitudeE7: longitude) else {
      preconditionFailure("A test names a point that is not on the earth.")
    }
    return point
  }
}

extension FeedEntry {
  static func sample(
    _ number: UInt64, id: UInt64? = nil, account: Int64 = 42,
    coordinate: Coordinate = .e7(476_062_100, -1_223_320_700), agreement: Verdict.Agreement = .mismatch
  ) -> FeedEntry {
    FeedEntry(
      id: .numbered(id ?? number), seq: number, account: AccountID(rawValue: account), firstName: "Zoë",
      lastName: "京", place: "Seattle, WA", label: "Seattle, Washington, United States", countryCode: "US",
      link: "https://example.org/\(number)", coordinate: coordinate, agreement: agreement,
      createdMs: 1_700_000_000_000, updatedMs: 1_700_000_000_000 + Int64(number % 1_000))
  }

  /// Returns an entry with each field at its maximum length.
  static func longest(_ number: UInt64) -> FeedEntry {
    FeedEntry(
      id: .numbered(number), seq: .max - UInt64(100 - number), account: AccountID(rawValue: .max),
      firstName: String(repeating: "x", count: Limits.nameBytesMax),
      lastName: String(repeating: "x", count: Limits.nameBytesMax),
      place: String(repeating: "x", count: Limits.placeBytesMax),
      label: String(repeating: "x", count: 2 * Limits.placeBytesMax), countryCode: "US",
      link: String(repeating: "x", count: Limits.linkBytesMax), coordinate: .e7(476_062_100, -1_223_320_700),
      agreement: .mismatch, createdMs: 1_700_000_000_000, updatedMs: 1_700_000_000_000)
  }
}

extension FeedChange {
  static func sample(_ number: UInt64) -> FeedChange { .upsert(.sample(number)) }

  /// The entry of an upsert. Nil for a removal.
  var entry: FeedEntry? { if case .upsert(let entry) = self { entry } else { nil } }
}

extension FeedState {
  static func sample(_ numbers: ClosedRange<UInt64>, epoch: UInt8 = 1) -> FeedState {
    FeedState(
      epoch: .filled(with: epoch), seq: numbers.upperBound, entries: numbers.reversed().map { FeedEntry.sample($0) })
  }
}

extension Place {
  static func sample(level: Level = .city, match: Match = .exact, label: String = "Seattle, Washington") -> Place {
    Place(
      coordinate: .e7(476_062_100, -1_223_320_700), level: level, match: match, confidence: 0.875, label: label,
      name: "Seattle", region: "Washington", country: "United States", countryCode: "US")
  }
}

extension Place {
  /// Returns a place with every detail of a lookup.
  static func detailed() -> Place {
    var (place, detail) = (Place.sample(), Place.Detail())
    (detail.county, detail.postcode, detail.provider) = ("King", "98101", "nominatim")
    (detail.matched, detail.unmatched, detail.isDegraded) = ("Seattle", "12 Foo Street", true)
    detail.attribution = "© somebody"
    detail.box = BoundingBox(south: 475_000_000, west: 1_799_000_000, north: 477_000_000, east: -1_799_000_000)
    place.detail = detail
    return place
  }
}

extension Job {
  static var lookup: Job {
    Job(
      id: JobID(lookup: 1), account: AccountID(rawValue: 0),
      request: .lookup(
        PlaceQuery(
          "Seattle", kind: .autocomplete, limit: 7, country: "US", focus: .e7(-1, 1), language: "de",
          levels: [.city, .postcode], isDetailed: true)))
  }

  static func post(_ number: UInt64) -> Job {
    Job(id: JobID(rawValue: number), account: AccountID(rawValue: Int64(number % 7)), query: "Oslo \(number)")
  }
}

extension Lease {
  static func numbered(_ number: UInt64) -> Lease {
    Lease(job: JobID(rawValue: number), token: 1 << 32 | number)
  }
}
