/// A search for the names in a query. It also sets the roles and weights of the query's tokens.
struct NameMatcher {
  let index: UnsafePointer<IndexSections>
  var sections: IndexSections { index.pointee }
  let text: FoldedText
  /// Sum of the tokens' weights.
  let total: Int
  /// Mask of all tokens, one bit each.
  let all: UInt64
  /// True if the text has a street word.
  let hasStreet: Bool
  /// True if the text looks like an address: it has a number, or a street word among more than four words. In a shorter
  /// text, "park" is probably a part of a name.
  let isAddress: Bool

  /// Weight of an ordinary word in the coverage. Ordinary words decide, and numbers and small words have little weight.
  private static let nameWeight: UInt8 = 16
  private static let numberWeight: UInt8 = 4
  private static let streetWeight: UInt8 = 4
  private static let particleWeight: UInt8 = 6
  private static let designatorWeight: UInt8 = 1

  /// Gives the tokens of the text their roles and weights.
  init(_ index: UnsafePointer<IndexSections>, _ text: FoldedText) {
    self.index = index
    self.text = text
    all = (1 << text.tokenCount) - 1
    let vocabulary = Vocabulary.standard
    var total = 0
    var (hasNumber, hasStreet) = (false, false)
    for number in 0..<text.tokenCount {
      if text.tokens[number].isNumber {
        text.tokens[number].weight = Self.numberWeight
        hasNumber = true
      } else {
        var hash = NameHash()
        hash.add(text.slice(number, number + 1))
        let role = vocabulary.role(hash.value)
        text.tokens[number].role = role
        hasStreet = hasStreet || role == .streetSuffix || role == .streetPrefix || role == .street
        text.tokens[number].weight =
          switch role {
          case .none: Self.nameWeight
          case .streetSuffix, .streetPrefix, .street: Self.streetWeight
          case .particle: Self.particleWeight
          case .designator, .regionDesignator: Self.designatorWeight
          }
      }
      total += Int(text.tokens[number].weight)
    }
    self.total = total
    self.hasStreet = hasStreet
    isAddress = hasNumber || text.tokenCount > 4 && hasStreet
  }

  /// Writes every sequence of tokens that is a name, the longest first. Returns the number of names.
  func find(into matches: UnsafeMutableBufferPointer<NameMatch>) -> Int {
    let count = findAll(into: matches)
    relate(UnsafeMutableBufferPointer(rebasing: matches[..<count]))
    return count
  }

  /// Adds the names that are one edit away from sequences of tokens with at least one of `words`. Returns the new
  /// number of names.
  func findMisspelt(_ words: UInt64, into matches: UnsafeMutableBufferPointer<NameMatch>, after exact: Int) -> Int {
    var misspelling = FuzzySearch(index)
    var count = exact
    // In an address the name of a misspelt city has few words. A longer sequence belongs to the street.
    let tokensMax = isAddress ? GazetteerLimits.addressFuzzyTokens : GazetteerLimits.fuzzyTokens
    for first in 0..<text.tokenCount {
      var end = first
      while end < min(text.tokenCount, first + tokensMax), !isNumber(end),
        text.tokens[end].segment == text.tokens[first].segment
      {
        end += 1
        let mask: UInt64 = ((1 << end) - 1) ^ ((1 << first) - 1)
        guard mask & words != 0, end - first > 1 || text.tokens[first].role == .none,
          !matches[..<exact].contains(where: { $0.mask == mask && isLarge($0) })
        else { continue }
        let isName = matches[..<exact].contains { $0.mask == mask }
        let text = text.slice(first, end)
        misspelling.names(near: text) { name in
          guard count < matches.count,
            // An error in the first letter is rare, so a word that is a name already needs the same first letter.
            !isName || EditDistance.haveSameFirstCharacter(name.bytes, text),
            !matches[..<count].contains(where: { $0.mask == mask && $0.postings == name.postings })
          else { return }
          var match = match(first, end, name.postings)
          match.spelling = .fuzzy
          matches.initializeElement(at: count, to: match)
          count += 1
        }
      }
    }
    relate(UnsafeMutableBufferPointer(rebasing: matches[..<count]))
    return count
  }

  /// Returns true if a name is that of an area or of a place so large that the name is probably no misspelling.
  private func isLarge(_ match: NameMatch) -> Bool {
    guard let posting = sections.posting(match.postings.lowerBound) else { return false }
    return posting.isArea
      || sections.place(posting.place).map { $0.population >= GazetteerLimits.certainPopulation } ?? false
  }

  /// Adds names that begin with the last tokens. Returns the new number of names.
  func findPrefixes(into matches: UnsafeMutableBufferPointer<NameMatch>, after exact: Int) -> Int {
    var count = exact
    let end = text.tokenCount
    let completion = PrefixSearch(sections: sections)
    for first in max(end - GazetteerLimits.nameTokens, 0)..<end
    where text.tokens[first].segment == text.tokens[end - 1].segment {
      for name in completion.names(beginningWith: text.slice(first, end), limit: GazetteerLimits.completions) {
        guard count < matches.count, let postings = sections.name(name)?.postings,
          !matches[..<count].contains(where: { $0.first == first && $0.end == end && $0.postings == postings })
        else { continue }
        var match = match(first, end, postings)
        match.spelling = .prefix
        matches.initializeElement(at: count, to: match)
        count += 1
      }
    }
    relate(UnsafeMutableBufferPointer(rebasing: matches[..<count]))
    return count
  }

  /// Marks the names that are parts of longer ones. Sorts the names, the longest first.
  private func relate(_ found: UnsafeMutableBufferPointer<NameMatch>) {
    guard found.count > 1 else { return }
    var found = found
    let (matches, count) = (found, found.count)
    for part in 0..<count {
      for match in matches[..<count] where match.mask & matches[part].mask == matches[part].mask {
        let isLonger = match.end - match.first > matches[part].longer.nonzeroBitCount
        // Words on both sides of a comma do not belong together.
        let isWithin = text.tokens[match.first].segment == text.tokens[match.end - 1].segment
        if isLonger, isWithin, match.mask != matches[part].mask { matches[part].longer = match.mask }
      }
    }
    found.sort { ($1.end - $1.first, $0.first) < ($0.end - $0.first, $1.first) }
  }

  /// Returns the ordinary words that a mask does not cover.
  func words(without mask: UInt64) -> UInt64 {
    var words: UInt64 = 0
    for number in 0..<text.tokenCount
    where mask & (1 << number) == 0 && text.tokens[number].role == .none && !isNumber(number) {
      words |= 1 << number
    }
    return words
  }

  private func findAll(into matches: UnsafeMutableBufferPointer<NameMatch>) -> Int {
    var count = 0
    for first in 0..<text.tokenCount {
      var hash = NameHash()
      var end = first
      var hasLetter = false
      if count < matches.count, let expanded = expandedDirection(first) {
        matches.initializeElement(at: count, to: match(first, expanded.end, expanded.postings))
        count += 1
      }
      while end < min(text.tokenCount, first + GazetteerLimits.nameTokens) {
        // A name continues with the space before its next token.
        let from = end == first ? Int(text.tokens[first].start) : Int(text.tokens[end - 1].end)
        hash.add(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: text.bytes[from..<Int(text.tokens[end].end)])))
        hasLetter = hasLetter || text.tokens[end].content.contains(.letter)
        end += 1
        guard count < matches.count else { return count }
        if end - first > 1, !sections.mayBegin(hash.value) { break }
        guard hasLetter, let postings = sections.postings(of: text.slice(first, end), hash: hash.value) else {
          if end - first == 1 {
            if let postings = postingsOfStem(first) {
              matches.initializeElement(at: count, to: match(first, end, postings))
              count += 1
            } else {
              count += findWithin(first, into: matches, from: count)
            }
          }
          continue
        }
        matches.initializeElement(at: count, to: match(first, end, postings))
        count += 1
      }
    }
    return count
  }

  /// Returns the longest name that begins with an abbreviated direction: "N Korea", "W. Virginia".
  private func expandedDirection(_ first: Int) -> (end: Int, postings: Range<UInt32>)? {
    let letter = text.slice(first, first + 1)
    guard letter.count == 1, first + 1 < text.tokenCount,
      let direction = Self.directions.first(where: { $0.utf8Start[0] == letter[0] })
    else { return nil }
    var best: (end: Int, postings: Range<UInt32>)?
    var hash = NameHash()
    direction.withUTF8Buffer { hash.add(UnsafeRawBufferPointer($0)) }
    withUnsafeTemporaryAllocation(byteCount: GazetteerLimits.directedBytes, alignment: 1) { buffer in
      var count = direction.utf8CodeUnitCount
      buffer.copyBytes(from: UnsafeRawBufferPointer(start: direction.utf8Start, count: count))
      for last in (first + 1)..<min(text.tokenCount, first + 4)
      where text.tokens[last].segment == text.tokens[first].segment {
        let piece = UnsafeRawBufferPointer(
          UnsafeBufferPointer(rebasing: text.bytes[Int(text.tokens[last - 1].end)..<Int(text.tokens[last].end)]))
        guard count + piece.count <= buffer.count else { return }
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: piece)
        count += piece.count
        hash.add(piece)
        let name = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if let postings = sections.postings(of: name, hash: hash.value) { best = (last + 1, postings) }
      }
    }
    return best
  }

  private static let directions: [StaticString] = ["north", "south", "east", "west"]

  /// Returns the postings of a Hangul name without the ending for its kind: "광명시" for "광명", "강남구" for "강남".
  private func postingsOfStem(_ token: Int) -> Range<UInt32>? {
    let bytes = text.slice(token, token + 1)
    // Three or more syllables of three bytes.
    guard bytes.count >= 9, bytes[bytes.count - 3] >= 0xEA else { return nil }
    let (stem, ending) = (bytes.dropLast(3), bytes.suffix(3))
    guard Self.endings.contains(where: { $0.withUTF8Buffer { $0.elementsEqual(ending) } }) else { return nil }
    let name = UnsafeRawBufferPointer(rebasing: stem)
    var hash = NameHash()
    hash.add(name)
    return sections.postings(of: name, hash: hash.value)
  }

  /// Endings for city, county, district, province, township, rural township and neighbourhood.
  private static let endings: [StaticString] = ["시", "군", "구", "도", "읍", "면", "동"]

  /// Finds names in a token of Han or kana, whose words have no spaces between them. The search goes from left to right
  /// and prefers the longest name. All names share the token's bit, so a candidate uses at most one of them.
  private func findWithin(_ token: Int, into matches: UnsafeMutableBufferPointer<NameMatch>, from: Int) -> Int {
    guard text.tokens[token].content.contains(.ideograph) else { return 0 }
    let bytes = text.slice(token, token + 1)
    var count = 0
    var start = 0
    while start < bytes.count, from + count < matches.count {
      var end = min(start + GazetteerLimits.runBytes, bytes.count)
      var found: Range<UInt32>?
      while end >= start + GazetteerLimits.shortestRunBytes {
        let name = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        var hash = NameHash()
        hash.add(name)
        found = sections.postings(of: name, hash: hash.value)
        if found != nil { break }
        end = Self.boundary(before: end, in: bytes)
      }
      if let found {
        // The text goes from wide to narrow: "日本京都" is Kyoto.
        if count > 0 { matches[from + count - 1].penalty = matches[from + count - 1].penalty.map { $0 + 24 * 256 } }
        var match = match(token, token + 1, found)
        match.isPartial = true
        matches.initializeElement(at: from + count, to: match)
        count += 1
        start = end
      } else {
        start += 1
        while start < bytes.count, bytes[start] & 0xC0 == 0x80 { start += 1 }
      }
    }
    return count
  }

  /// Returns the beginning of the character before a byte.
  private static func boundary(before end: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    var start = end - 1
    while start > 0, bytes[start] & 0xC0 == 0x80 { start -= 1 }
    return start
  }

  private func match(_ first: Int, _ end: Int, _ postings: Range<UInt32>) -> NameMatch {
    var areaEnd = postings.lowerBound
    let bound = postings.lowerBound + min(UInt32(postings.count), UInt32(GazetteerLimits.postingsPerName))
    while areaEnd < bound, sections.posting(areaEnd)?.isArea == true { areaEnd += 1 }
    let mask: UInt64 = ((1 << end) - 1) ^ ((1 << first) - 1)
    var match = NameMatch(
      mask: mask, postings: postings, areaEnd: areaEnd,
      isSegment: isSegment(first, end), readsCodes: readsCodes(first, end), isStreet: isStreet(first, end))
    match.penalty = penalty(match)
    return match
  }
}
