import Gazetteer

extension NameBlockRanks {
  /// The highest rank in each block of names, less what the kind of name takes away.
  static func compiled(_ names: NameTable.Compiled, _ places: [PlaceRecord]) -> [UInt16] {
    stride(from: 0, to: names.order.count, by: Self.names).map { start in
      names.order[start..<min(start + Self.names, names.order.count)].reduce(0) { highest, position in
        max(highest, names.rank(position, places))
      }
    }
  }
}

extension NameTable.Compiled {
  /// The highest rank of a name's places, less what the kind of name takes away.
  fileprivate func rank(_ position: UInt32, _ places: [PlaceRecord]) -> UInt16 {
    withName(at: position) { _, postings in
      postings.lazy.map(Posting.init(rawValue:)).reduce(0) { highest, posting in
        let place = places[Int(posting.place)]
        return max(highest, UInt16(clamping: Int(place.rank) - posting.demotion(level: place.level)))
      }
    }
  }
}
