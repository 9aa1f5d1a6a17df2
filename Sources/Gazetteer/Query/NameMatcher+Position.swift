/// Evidence from the position of words in a text.
extension NameMatcher {
  func weight(of mask: UInt64) -> Int {
    if mask == all { return total }
    var sum = 0
    var rest = mask
    while rest != 0 {
      sum += Int(text.tokens[rest.trailingZeroBitCount].weight)
      rest &= rest - 1
    }
    return sum
  }

  /// Returns true if the mask covers everything except words for the kind of a place.
  func isWhole(_ mask: UInt64) -> Bool {
    if mask == all { return true }
    for number in 0..<text.tokenCount where mask & (1 << number) == 0 {
      // "province of": the small word belongs to the word before it.
      let word = text.tokens[number].role == .particle && number > 0 ? number - 1 : number
      if text.tokens[word].role != .designator, text.tokens[word].role != .regionDesignator { return false }
    }
    return true
  }

  /// Returns true for a single small word, which is sometimes a place's name and usually a part of one.
  func isSmallWord(_ match: NameMatch) -> Bool {
    match.end - match.first == 1 && text.tokens[match.first].role == .particle
  }

  /// Returns true for one word without a lower-case letter.
  func isCapital(_ match: NameMatch) -> Bool {
    match.end - match.first == 1 && !text.tokens[match.first].content.contains(.lower)
  }

  /// Returns true if a postcode contains letters.
  func hasLetters(_ match: PostcodeMatch) -> Bool {
    (match.first..<match.end).contains { text.tokens[$0].content.contains(.letter) }
  }

  /// Returns true if a name is as short as a region's code.
  func isShort(_ match: NameMatch) -> Bool {
    text.tokens[match.end - 1].end - text.tokens[match.first].start <= GazetteerLimits.codeBytes
  }

  /// Returns true if all tokens except the name's are as short as codes.
  func isCoded(_ match: NameMatch) -> Bool {
    match.mask != all
      && (0..<text.tokenCount).allSatisfy { number in
        match.mask & 1 << number != 0 || text.tokens[number].end - text.tokens[number].start <= 3
      }
  }

  /// Returns true if the text calls a name a region: "São Paulo state", "province of Salzburg".
  func isDesignatedRegion(_ match: NameMatch) -> Bool {
    if match.end < text.tokenCount, text.tokens[match.end].role == .regionDesignator { return true }
    let before = match.first > 0 && text.tokens[match.first - 1].role == .particle ? match.first - 2 : match.first - 1
    return before >= 0 && text.tokens[before].role == .regionDesignator
  }

  func isNumber(_ token: Int) -> Bool { text.tokens[token].isNumber }

  func isSegment(_ first: Int, _ end: Int) -> Bool {
    var before = first - 1
    while before >= 0, text.tokens[before].segment == text.tokens[first].segment {
      guard isNumber(before) else { return false }
      before -= 1
    }
    var after = end
    while after < text.tokenCount, text.tokens[after].segment == text.tokens[end - 1].segment {
      guard isNumber(after) else { return false }
      after += 1
    }
    return true
  }

  /// Returns true if the position allows a code. In its segment, only numbers and at most two other words may follow a
  /// code: "austin tx usa".
  func readsCodes(_ first: Int, _ end: Int) -> Bool {
    guard end - first == 1 else { return true }
    var after = end
    var short = 0
    while after < text.tokenCount, text.tokens[after].segment == text.tokens[first].segment {
      if !isNumber(after) {
        short += 1
        let length = text.tokens[after].end - text.tokens[after].start
        let isLast = after + 1 == text.tokenCount || text.tokens[after + 1].segment != text.tokens[first].segment
        guard length <= 3 || isLast, short <= 2 else { return false }
        if text.tokens[first].role == .particle, length > 3 { return false }
      }
      after += 1
    }
    return true
  }

  /// Returns the penalty for a position that is unusual for the wanted place. See `NameMatch.penalty`.
  func penalty(_ match: NameMatch) -> Int32? {
    if match.mask.nonzeroBitCount == text.tokenCount { return 0 }
    let (first, end) = (match.first, match.end)
    let token = text.tokens[first]
    let length = Int(text.tokens[end - 1].end - token.start)
    if end - first == 1, !match.isSegment {
      // A small word is too often a part of another name, unless it is a code in a text of two words ("LA, CA").
      let isCode = match.readsCodes && text.tokenCount == 2
      if text.tokens[first].role != .none, !isCode { return nil }
      if length <= 3, !isLast(end), !isCode { return nil }
    }
    // A word of one to three letters is often a part of another name too.
    var penalty: Int32 = length <= 3 && !match.isSegment ? 6 * 256 : 0
    let isFollowed = end < text.tokenCount && text.tokens[end].segment == token.segment
    let isPreceded = first > 0 && text.tokens[first - 1].segment == token.segment
    if match.isStreet { penalty += 14 * 256 }
    // "100 Berlin Turnpike": a number before and a word after.
    if isPreceded, isNumber(first - 1), isFollowed, !isNumber(end) { penalty += 2 * 256 }
    // "Praha 3 Brno": a number and a word follow a name that may be a street or a district.
    if isFollowed, isNumber(end), end + 1 < text.tokenCount, text.tokens[end + 1].segment == token.segment,
      !isNumber(end + 1)
    {
      penalty += 4 * 256
    }
    // A name that is a whole segment is more likely the place than a part of a segment. The last name is the likeliest.
    if !match.isSegment { penalty += 3 * 256 }
    if !isLast(end) { penalty += 256 }
    // A name across a comma joins words that the writer separated.
    if text.tokens[end - 1].segment != token.segment { penalty += 2 * 256 }
    return penalty
  }

  /// Returns true if the tokens name a street within one segment: "Oxford St", "via Milano", "avenue du Maine".
  func isStreet(_ first: Int, _ end: Int) -> Bool {
    let segment = text.tokens[first].segment
    if end < text.tokenCount, text.tokens[end].segment == segment,
      [.streetSuffix, .street].contains(text.tokens[end].role)
    {
      return true
    }
    var before = first - 1
    while before >= 0, text.tokens[before].segment == segment, text.tokens[before].role == .particle { before -= 1 }
    guard before >= 0, text.tokens[before].segment == segment else { return false }
    if text.tokens[before].role == .streetPrefix { return true }
    guard text.tokens[before].role == .street else { return false }
    // "Fifth Avenue" ends the street's name.
    while before > 0, text.tokens[before - 1].segment == segment {
      before -= 1
      if !isNumber(before), text.tokens[before].role != .particle { return false }
    }
    return true
  }

  func isLast(_ end: Int) -> Bool {
    for token in end..<text.tokenCount where !isNumber(token) { return false }
    return true
  }
}
