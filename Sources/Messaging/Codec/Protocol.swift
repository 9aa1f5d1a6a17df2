import Domain
import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// The constants of every frame's header, and the latest valid time.
enum Protocol {
  /// "OTM1", little-endian.
  static let magic: UInt32 = 0x314D_544F
  static let major: UInt32 = 1
  static let minor: UInt32 = 0
  /// The last millisecond of the year 9999.
  static let unixMsMax: UInt64 = 253_402_300_799_999
}

/// Counter of malformed frames. It allows at most one log line a second.
struct MalformedFrames {
  private(set) var count = 0
  private var loggedMs = Int64.min
  private let link: String
  private let counter: Counter

  /// Creates the counter of a link.
  ///
  /// - Parameter link: Name of the link in the metrics and in the log.
  init(_ link: String) {
    self.link = link
    counter = Metric.linkMalformed.counter(link)
  }

  /// Counts a malformed frame. Returns true if the caller may log it and reply to it.
  mutating func add(nowMs: Int64) -> Bool {
    count += 1
    counter.increment()
    guard loggedMs == .min || nowMs - loggedMs >= Limits.malformedRepeatMs else { return false }
    loggedMs = nowMs
    return true
  }

  /// Logs a malformed frame for which `add` has returned true.
  func log(_ reason: String, to logger: Logger) {
    logger.warning(
      "malformed frame received", metadata: ["link": "\(link)", "reason": "\(reason)", "total": "\(count)"])
  }
}

extension Message {
  /// The encoded message. Encoding cannot fail, because no message of these protocols has required fields.
  var bytes: [UInt8] { (try? serializedBytes()) ?? [] }
}
