import Glibc

/// A failure to open a gazetteer file. Retrying does not help.
package enum PlaceIndexError: Error, Equatable, CustomStringConvertible {
  /// The file cannot be opened, mapped or read. `code` is the system's error number.
  case unreadable(path: String, code: Int32)
  /// The file does not begin like a gazetteer file.
  case foreign(path: String)
  /// The file is shorter or longer than its header states.
  case truncated(path: String, bytes: Int, expected: UInt64)
  /// The file has another layout, or other folding rules, than this program reads.
  case incompatible(path: String, found: UInt32, expected: UInt32)
  /// A part of the file is missing, inconsistent or outside of the file.
  case damaged(path: String, part: String)

  /// The error and its remedy, for the log and the operator.
  package var description: String {
    func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
    let rebuild = "Build it again with `onthemap gazetteer build`."
    return switch self {
    case .unreadable(let path, let code):
      "cannot read the gazetteer file \(path) (\(reason(code))). Check the path and its permissions. \(rebuild)"
    case .foreign(let path): "\(path) is not a gazetteer file. Check the path. \(rebuild)"
    case .truncated(let path, let bytes, let expected):
      "the gazetteer file \(path) has \(bytes) bytes and should have \(expected). \(rebuild)"
    case .incompatible(let path, let found, let expected):
      "the gazetteer file \(path) has format version \(found), but this program needs \(expected). \(rebuild)"
    case .damaged(let path, let part): "the gazetteer file \(path) is damaged (\(part)). \(rebuild)"
    }
  }
}
