import Domain
import Metrics
import SwiftProtobuf
import Telemetry

/// What every frame of every link begins with.
enum Protocol {
  /// "OTM1", little-endian.
  static let magic: UInt32 = 0x314D_544F
  static let major: UInt32 = 1
  static let minor: UInt32 = 0
  /// The last millisecond of the year 9999.
  static let unixMsMax: UInt64 = 253_402_300_799_999
}

/// Counts what cannot be understood, and lets it be logged once a second at most.
struct MalformedFrames {
  private(set) var count = 0
  private var loggedMs = Int64.min
  private let counter: Counter

  /// - Parameter link: its name among the metrics.
  init(_ link: String) { counter = Metric.linkMalformed.counter(link) }

  /// True when this one may be logged and answered.
  mutating func add(nowMs: Int64) -> Bool {
    count += 1
    counter.increment()
    guard loggedMs == .min || nowMs - loggedMs >= Limits.malformedRepeatMs else { return false }
    loggedMs = nowMs
    return true
  }
}

extension Message {
  /// The message's bytes. Cannot fail: nothing here has required fields.
  var bytes: [UInt8] { (try? serializedBytes()) ?? [] }
}
