/// The highest rank of each block of names, for autocompletion. Names are sorted, so names with the same beginning are
/// neighbours. The ranks show which blocks to read.
package enum NameBlockRanks {
  /// Number of names in a block.
  package static let names = 64
}

/// A search for the names of the largest places that begin with some bytes.
struct PrefixSearch {
  let sections: IndexSections

  /// Returns the numbers of at most `limit` names with the highest ranks that begin with the text. The text itself is
  /// among them if it is a name.
  func names(beginningWith text: UnsafeRawBufferPointer, limit: Int) -> [UInt32] {
    let first = bound(text) { $0 >= 0 }
    let end = bound(text) { $0 > 0 }
    var best: [(rank: Int, name: UInt32)] = []
    let size = UInt32(NameBlockRanks.names)
    var name = first
    while name < end {
      let block = name / size
      let blockEnd = min((block + 1) * size, end)
      if best.count < limit || Int(sections.blockRank(block)) > best[best.count - 1].rank {
        for number in name..<blockEnd {
          let rank = rank(of: number)
          if best.count == limit, rank <= best[limit - 1].rank { continue }
          let index = best.firstIndex { $0.rank < rank } ?? best.count
          best.insert((rank, number), at: index)
          if best.count > limit { best.removeLast() }
        }
      }
      name = blockEnd
    }
    return best.map(\.name)
  }

  /// Returns the number of the first name for which `isBehind` is true. The argument of `isBehind` is zero for a name
  /// that begins with the text. It is negative for a name before the text in the order, and positive for a name after
  /// the text.
  private func bound(_ text: UnsafeRawBufferPointer, _ isBehind: (Int) -> Bool) -> UInt32 {
    var (low, high) = (UInt32(0), UInt32(truncatingIfNeeded: sections.nameCount))
    while low < high {
      let middle = low + (high - low) / 2
      if isBehind(compare(middle, text)) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private func compare(_ number: UInt32, _ text: UnsafeRawBufferPointer) -> Int {
    guard let name = sections.name(number)?.bytes else { return 1 }
    for index in 0..<min(name.count, text.count) where name[index] != text[index] {
      return Int(name[index]) - Int(text[index])
    }
    return name.count < text.count ? -1 : 0
  }

  private func rank(of number: UInt32) -> Int {
    guard let postings = sections.name(number)?.postings else { return 0 }
    var highest = 0
    // Areas come first, then cities, each part by descending rank. A few postings therefore suffice.
    for index in postings.prefix(GazetteerLimits.completionPostings) {
      guard let posting = sections.posting(index), let place = sections.place(posting.place) else { continue }
      highest = max(highest, Int(place.rank) - posting.demotion(level: place.level))
    }
    return highest
  }
}
