import Glibc

/// A failure to build a gazetteer file. Retrying does not help.
package enum GazetteerBuildError: Error, Equatable, CustomStringConvertible {
  /// The source cannot be read. `code` is the system's error number.
  case unreadable(path: String, code: Int32)
  /// A line of the source breaks the format. Lines count from 1.
  case source(line: Int, reason: String)
  /// A file of a GeoNames dump is missing, or a line of it breaks the format. Lines count from 1; 0 stands for the
  /// file.
  case dump(path: String, line: Int, reason: String)
  /// The source holds more than an index can. `limit` is the maximum.
  case tooLarge(items: String, limit: Int)
  /// The new file cannot be written. An old file is untouched.
  case unwritable(path: String, code: Int32)

  /// The error and its remedy, for the operator.
  package var description: String {
    func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
    return switch self {
    case .unreadable(let path, let code):
      "cannot read the gazetteer's source, \(path) (\(reason(code))). Check the path and its permissions."
    case .source(let line, let reason): "line \(line) of the gazetteer's source: \(reason)."
    case .dump(let path, 0, let reason):
      "\(path): \(reason). The files come from download.geonames.org/export/dump; unpack the archives."
    case .dump(let path, let line, let reason): "line \(line) of \(path): \(reason). Check that the file is complete."
    case .tooLarge(let items, let limit): "the gazetteer's source has too many \(items); the limit is \(limit)."
    case .unwritable(let path, let code):
      "cannot write the gazetteer file \(path) (\(reason(code))). Check the directory, its permissions and free space."
    }
  }
}
