/// A search for names that are one edit away from words of a query.
struct FuzzySearch {
  private let index: UnsafePointer<IndexSections>
  private var sections: IndexSections { index.pointee }
  /// Number of comparisons left. It bounds the time of a query whose halves occur in many names.
  private var comparisonsLeft = GazetteerLimits.comparisonsPerQuery

  init(_ index: UnsafePointer<IndexSections>) { self.index = index }

  /// Calls `body` with each name that is one edit away from the folded text. A name may come twice.
  mutating func names(near text: UnsafeRawBufferPointer, _ body: (NameEntry) -> Void) {
    guard let scalars = EditDistance(text), scalars.count >= GazetteerLimits.fuzzyCharactersMin else { return }
    // The wanted name has as many characters as the text, one more, or one fewer.
    for count in (scalars.count - 1)...(scalars.count + 1) where count >= GazetteerLimits.fuzzyCharactersMin {
      let middle = count / 2
      // If the edit is after the first half of the name, the text begins with that half. Otherwise the text ends with
      // the second half.
      if middle <= scalars.count {
        compare(.first, scalars.slice(0, middle), count: count, scalars, body)
      }
      let rest = count - middle
      if rest <= scalars.count {
        compare(.second, scalars.slice(scalars.count - rest, scalars.count), count: count, scalars, body)
      }
    }
    findSwapped(scalars, body)
  }

  private mutating func compare(
    _ half: FuzzyTable.Half, _ bytes: UnsafeRawBufferPointer, count: Int, _ text: EditDistance,
    _ body: (NameEntry) -> Void
  ) {
    // A bucket also has names with other halves. The length excludes most of these names.
    let (least, most) = (text.bytes.count - 4, text.bytes.count + 4)
    for entry in sections.fuzzyBucket(FuzzyTable.hash(half, bytes, count: count)) {
      guard comparisonsLeft > 0 else { return }
      comparisonsLeft -= 1
      guard let position = sections.fuzzyName(entry), let name = sections.name(at: position),
        name.bytes.count >= least, name.bytes.count <= most, EditDistance.areOneEditApart(name.bytes, text.bytes)
      else { continue }
      body(name)
    }
  }

  /// Finds the name that results from exchanging the two middle characters. Such an edit changes both halves, so the
  /// buckets do not find it.
  private func findSwapped(_ text: EditDistance, _ body: (NameEntry) -> Void) {
    let middle = text.count / 2
    var hash = NameHash()
    withUnsafeTemporaryAllocation(byteCount: text.bytes.count, alignment: 1) { buffer in
      var count = 0
      for (first, end) in [(0, middle - 1), (middle, middle + 1), (middle - 1, middle), (middle + 1, text.count)] {
        let piece = text.slice(first, end)
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: piece)
        count += piece.count
      }
      let bytes = UnsafeRawBufferPointer(buffer)
      hash.add(bytes)
      guard !bytes.elementsEqual(text.bytes), let name = sections.name(bytes, hash: hash.value) else { return }
      body(name)
    }
  }
}
