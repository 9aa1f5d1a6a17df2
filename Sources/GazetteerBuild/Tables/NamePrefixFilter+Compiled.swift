import Gazetteer

extension NamePrefixFilter {
  /// Returns a filter that contains these hashes.
  static func compiled(_ hashes: [UInt64]) -> [UInt64] {
    var filter = [UInt64](repeating: 0, count: words(for: hashes.count))
    for hash in hashes { filter[word(hash, of: filter.count)] |= bits(hash) }
    return filter
  }
}
