import Foundation
import Logging
import OnTheMap

/// Log lines on standard error: time (UTC), level, role, message, and what belongs to it as `key=value`.
///
/// Formats what is written, and nothing else: swift-log's own handler formats a request's metadata at every request,
/// logged or not.
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
    FileHandle.standardError.write(Data(line(event, unixMs: Int64(Date().timeIntervalSince1970 * 1_000)).utf8))
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

  /// As it is where it is one word.
  private static func quoted(_ value: String) -> String {
    value.isEmpty || value.contains { $0 == " " || $0 == "\"" }
      ? "\"\(value.replacing("\"", with: "'"))\"" : value
  }
}
