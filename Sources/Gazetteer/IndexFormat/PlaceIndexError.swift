import Glibc

/// A failure to open a place index. Retrying does not help.
package enum PlaceIndexError: Error, Equatable, CustomStringConvertible {
  /// The file cannot be opened, mapped or read. `code` is the system's error number.
  case unreadable(path: String, code: Int32)
  /// The file does not begin like a place index.
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
      "cannot read the place index \(path) (\(reason(code))). Check the path and its permissions. \(rebuild)"
    case .foreign(let path): "\(path) is not a place index. Check the path. \(rebuild)"
    case .truncated(let path, let bytes, let expected):
      "the place index \(path) has \(bytes) bytes and should have \(expected). \(rebuild)"
    case .incompatible(let path, let found, let expected):
      "the place index \(path) has version \(found), this program reads \(expected). \(rebuild)"
    case .damaged(let path, let part): "the place index \(path) is damaged (\(part)). \(rebuild)"
    }
  }
}
