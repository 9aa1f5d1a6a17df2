import Glibc

/// Why a place index cannot be opened. None of these passes by itself: retrying does not help.
package enum PlaceIndexError: Error, Equatable, CustomStringConvertible {
  /// The file cannot be opened, mapped or read; `code` is the system's error number.
  case unreadable(path: String, code: Int32)
  /// The file does not begin as a place index does.
  case foreign(path: String)
  /// The file is shorter or longer than it says itself.
  case truncated(path: String, bytes: Int, expected: UInt64)
  /// The file was written in another layout, or with names folded by other rules, than this program reads.
  case incompatible(path: String, found: UInt32, expected: UInt32)
  /// A part of the file is missing or lies outside it.
  case damaged(path: String, part: String)

  /// What is wrong and what to do about it, for the log and the operator.
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
