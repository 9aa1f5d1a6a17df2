import Gazetteer

extension NameHashTable {
  /// Maximum average number of used slots in a line.
  private static let load = 10

  /// Returns the hash table's slots.
  ///
  /// - Parameter words: The number of words that all names occupy.
  static func compiled(_ names: [(hash: UInt64, position: UInt32)], words: Int) -> [UInt32] {
    var lines = names.count / load + 1
    while true {
      if let slots = compiled(names, words: words, count: lines * line) { return slots }
      lines *= 2
    }
  }

  /// Returns the slots in a table of this size. Nil if a search would need too many probes.
  private static func compiled(
    _ names: [(hash: UInt64, position: UInt32)], words: Int, count: Int
  ) -> [UInt32]? {
    var slots = [UInt32](repeating: 0, count: count)
    let positionBits = positionBits(words)
    for name in names {
      var slot = first(name.hash, of: count)
      var probes = 1
      while slots[slot] != 0 {
        slot = slot + 1 < count ? slot + 1 : 0
        probes += 1
        guard probes < min(probesMax, count) else { return nil }
      }
      slots[slot] = tag(name.hash, positionBits) << positionBits | name.position
    }
    return slots
  }
}
