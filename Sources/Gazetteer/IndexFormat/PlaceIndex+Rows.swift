package import Domain

extension PlaceIndex {
  /// The cities of a gazetteer, by index. Tools use the names of cities as texts that the gazetteer knows. Any thread.
  package final class Rows: Sendable {
    private let file: MappedFile
    nonisolated(unsafe) private let sections: IndexSections
    /// Record numbers of the selected cities.
    private let numbers: [UInt32]

    /// Opens the file and reads every record once, which takes a few milliseconds.
    ///
    /// - Parameter populationMin: The minimum number of inhabitants of a selected city.
    /// - Throws: `PlaceIndexError`.
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

    /// Number of selected cities.
    package var count: Int { numbers.count }

    /// Indices from 0 to `count` - 1, the largest city first.
    package var byFallingPopulation: [Int] {
      numbers.indices.sorted { a, b in
        (sections.place(numbers[a])?.population ?? 0) > (sections.place(numbers[b])?.population ?? 0)
      }
    }

    /// Folded names of each selected city: lower case, without accents. Reads every name of the file, which takes a few
    /// seconds and several hundred megabytes.
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

    /// The city at an index below `count`. Nil if its record is damaged.
    package subscript(_ index: Int) -> Place? {
      guard numbers.indices.contains(index), let record = sections.place(numbers[index]) else { return nil }
      return sections.result(for: record, match: .exact, confidence: 1)
    }
  }
}
