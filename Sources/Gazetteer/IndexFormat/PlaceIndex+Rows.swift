package import Domain

extension PlaceIndex {
  /// A compiled gazetteer row by row: for tools that need texts which a gazetteer is sure to know. Maps the file, as
  /// `PlaceIndex` does; any thread.
  package final class Rows: Sendable {
    private let file: MappedFile
    nonisolated(unsafe) private let sections: IndexSections
    /// Record numbers of the populated places that were asked for.
    private let numbers: [UInt32]

    /// Reads every record once, a few milliseconds. Throws what `PlaceIndex` throws.
    ///
    /// - Parameter populationMin: inhabitants without whom a place is left out.
    package init(path: String, populationMin: UInt32) throws(PlaceIndexError) {
      file = try MappedFile(path: path)
      sections = try IndexSections(file.bytes, path: path)
      var numbers: [UInt32] = []
      for number in 0..<UInt32(clamping: sections.placeCount) {
        guard let record = sections.place(number), record.isCity,
          record.population >= populationMin
        else { continue }
        numbers.append(number)
      }
      self.numbers = numbers
    }

    /// Populated places.
    package var count: Int { numbers.count }

    /// Indices from 0 below `count`, the largest place first.
    package var byFallingPopulation: [Int] {
      numbers.indices.sorted { a, b in
        (sections.place(numbers[a])?.population ?? 0) > (sections.place(numbers[b])?.population ?? 0)
      }
    }

    /// All names of each populated place, as they are looked up: in small letters without accents. Reads every name of
    /// the file, some seconds and some hundred megabytes.
    package var foldedNames: [[String]] {
      var indices = [Int](repeating: -1, count: sections.placeCount)
      for (index, number) in numbers.enumerated() { indices[Int(number)] = index }
      var names = [[String]](repeating: [], count: numbers.count)
      for name in 0..<UInt32(clamping: sections.nameCount) {
        guard let name = sections.name(name) else { continue }
        let text = String(decoding: name.bytes, as: UTF8.self)
        for place in name.postings.compactMap({ sections.posting($0)?.place }) where Int(place) < indices.count {
          if indices[Int(place)] >= 0 { names[indices[Int(place)]].append(text) }
        }
      }
      return names
    }

    /// A populated place, from 0 below `count`; nil when its record is damaged.
    package subscript(_ index: Int) -> Place? {
      guard numbers.indices.contains(index), let record = sections.place(numbers[index]) else { return nil }
      return sections.answer(record, match: .exact, confidence: 1)
    }
  }
}
