import Gazetteer

extension NameBlockRanks {
  /// Returns the highest rank in each block of names, less the demotion for the kind of name.
  static func compiled(_ names: NameTable.Compiled, _ places: [PlaceRecord]) -> [UInt16] {
    stride(from: 0, to: names.order.count, by: Self.names).map { start in
      names.order[start..<min(start + Self.names, names.order.count)].reduce(0) { highest, position in
        max(highest, names.rank(position, places))
      }
    }
  }
}

extension NameTable.Compiled {
  /// Returns the highest rank of a name's places, less the demotion for the kind of name.
  fileprivate func rank(_ position: UInt32, _ places: [PlaceRecord]) -> UInt16 {
    withName(at: position) { _, postings in
      postings.lazy.map(Posting.init(rawValue:)).reduce(0) { highest, posting in
        let place = places[Int(posting.place)]
        return max(highest, UInt16(clamping: Int(place.rank) - posting.demotion(level: place.level)))
      }
    }
  }
}
