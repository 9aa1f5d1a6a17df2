import Domain
import Glibc
import Logging
import Messaging

/// Log lines on standard error: time (UTC), level, role, message, and metadata as `key=value`.
///
/// This handler formats only lines that it writes. swift-log's own handler formats a request's metadata at every
/// request, logged or not.
struct LogLines: LogHandler {
  let label: String
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]

  init(label: String) { self.label = label }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    writeAll(line(event, unixMs: WallClock.unixMs), on: STDERR_FILENO)
  }

  func line(_ event: LogEvent, unixMs: Int64) -> String {
    var line = "\(timestamp(unixMs: unixMs)) \(event.level) \(label): \(event.message)"
    let all = metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 })
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      line += " \(key)=\(LogLines.quoted("\(value)"))"
    }
    if let error = event.error { line += " error=\(LogLines.quoted("\(error)"))" }
    return line.safeLine(bytesMax: .max) + "\n"
  }

  /// Quotes a value that is empty, or contains a space or a quotation mark. A quotation mark in it becomes an
  /// apostrophe.
  private static func quoted(_ value: String) -> String {
    // Compare scalars: `contains` does not find a space with a combining accent, but a reader of the line sees a space.
    let scalars = value.unicodeScalars
    guard scalars.isEmpty || scalars.contains(where: { $0 == " " || $0 == "\"" }) else { return value }
    return "\"" + String(String.UnicodeScalarView(scalars.map { $0 == "\"" ? "'" : $0 })) + "\""
  }
}
