/// A version of a library: whole numbers with dots, such as "3.40.1".
struct LibraryVersion: Comparable, CustomStringConvertible {
  private let numbers: [Int]
  let description: String

  /// Parses the leading numbers of a text. A suffix such as "-debian" does not count. Nil without any number.
  init?(_ text: String) {
    let leading = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let numbers = leading.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard !numbers.isEmpty, !numbers.contains(nil) else { return nil }
    self.numbers = numbers.compactMap(\.self)
    description = text
  }

  /// Returns true if the first version is older. A missing number counts as 0.
  static func < (a: LibraryVersion, b: LibraryVersion) -> Bool {
    let count = max(a.numbers.count, b.numbers.count)
    return a.padded(count).lexicographicallyPrecedes(b.padded(count))
  }

  /// Returns true for the same numbers. The texts may differ.
  static func == (a: LibraryVersion, b: LibraryVersion) -> Bool { !(a < b) && !(b < a) }

  private func padded(_ count: Int) -> [Int] { numbers + Array(repeating: 0, count: count - numbers.count) }
}
