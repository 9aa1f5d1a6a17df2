import Glibc
import Synchronization

/// The value of the header Date (RFC 9110, 5.6.7), formatted once a second. Any thread.
final class HTTPDate: Sendable {
  private let latest = Mutex((second: -1, text: ""))

  /// The present date, such as "Sun, 06 Nov 1994 08:49:37 GMT".
  var text: String {
    let now = time(nil)
    return latest.withLock { latest in
      if latest.second != now { latest = (now, HTTPDate.text(now)) }
      return latest.text
    }
  }

  /// Returns the date of a time in seconds since 1970, UTC.
  static func text(_ seconds: Int) -> String {
    var (seconds, parts) = (seconds, tm())
    gmtime_r(&seconds, &parts)
    // The process keeps the C locale, so the names are English.
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      strftime(buffer.baseAddress!, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      return String(cString: buffer.baseAddress!)
    }
  }
}
