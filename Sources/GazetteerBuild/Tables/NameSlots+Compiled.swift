import Gazetteer

extension NameHashTable {
  /// How many of them are taken at most, on average.
  private static let load = 10

  /// - Parameter words: how many words all names take.
  static func compiled(_ names: [(hash: UInt64, position: UInt32)], words: Int) -> [UInt32] {
    var lines = names.count / load + 1
    while true {
      if let slots = compiled(names, words: words, count: lines * line) { return slots }
      lines *= 2
    }
  }

  /// Nil where some search would be too long.
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
