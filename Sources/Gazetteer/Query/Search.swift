import Domain

/// One query at work. Finds the names in the text, takes each place of each name as a candidate, and scores it by how
/// much of the text belongs to it or to what contains it (coverage by disjoint token masks, as in Mapbox Carmen), by
/// its rank and by where its name stands.
struct Search {
  let index: UnsafePointer<IndexSections>
  var sections: IndexSections { index.pointee }
  let text: FoldedText
  /// As typed.
  let source: UnsafeBufferPointer<UInt8>
  let constraints: Constraints

  /// The answers, best first.
  func places() -> [Place] {
    guard text.tokenCount > 0, !text.isTruncated else { return [] }
    // Most queries are short and spelt right: what they take fits on the stack.
    if text.tokenCount <= 2, case .forward = constraints.kind,
      let places = withUnsafeTemporaryAllocation(
        of: NameMatch.self, capacity: GazetteerLimits.exactMatches, { places($0, asTyped: true) })
    {
      return places
    }
    return withUnsafeTemporaryAllocation(of: NameMatch.self, capacity: GazetteerLimits.matches) {
      places($0, asTyped: false) ?? []
    }
  }

  /// - Parameter asTyped: nil is answered where some word is probably misspelt, or the room is too small.
  private func places(_ matches: UnsafeMutableBufferPointer<NameMatch>, asTyped: Bool) -> [Place]? {
    // Those behind the best tell how sure it is, and come up where others are told already.
    let capacity = (constraints.limit == 1 ? 0 : Limits.candidatesMax) + GazetteerLimits.rivals
    return withUnsafeTemporaryAllocation(of: Candidate.self, capacity: capacity) { room in
      withUnsafeTemporaryAllocation(of: PostcodeMatch.self, capacity: GazetteerLimits.postcodesPerQuery) { codes in
        let phrases = NameMatcher(index, text)
        let postcodes = PostcodeMatcher(index, text, codes)
        var count = phrases.find(into: matches)
        if case .prefix = constraints.kind { count = phrases.findPrefixes(into: matches, after: count) }
        if asTyped, count == matches.count { return nil }
        var ranking = rank(phrases, matches, count, postcodes, room)
        let words = misspelt(ranking.best, phrases)
        if words != 0 {
          if asTyped { return nil }
          let all = phrases.findMisspelt(words, into: matches, after: count)
          if all > count { ranking = rank(phrases, matches, all, postcodes, room) }
        }
        return ranking.places(constraints, sections, detail: detail)
      }
    }
  }

  private func rank(
    _ phrases: NameMatcher, _ matches: UnsafeMutableBufferPointer<NameMatch>, _ count: Int, _ postcodes: PostcodeMatcher,
    _ room: UnsafeMutableBufferPointer<Candidate>
  ) -> TopCandidates {
    var ranking = TopCandidates(room, limit: constraints.limit)
    let found = UnsafeBufferPointer(rebasing: matches[..<count])
    CandidateScorer(index: index, phrases: phrases, matches: found, postcodes: postcodes, constraints: constraints)
      .rank(into: &ranking)
    return ranking
  }

  /// The words that are probably misspelt, one bit each: those that are left over, unless they may be a street's; and
  /// all, where the place that was found is so small that the name of a larger one was rather meant.
  private func misspelt(_ best: Candidate?, _ phrases: NameMatcher) -> UInt64 {
    guard let best else { return phrases.words(without: 0) }
    let left = phrases.words(without: best.mask)
    guard let place = sections.place(best.place) else { return 0 }
    if left != 0 {
      return place.level >= Place.Level.city.rawValue && (best.hasContext || phrases.isAddress) ? 0 : left
    }
    let isCertain = best.hasContext || best.population >= GazetteerLimits.certainPopulation
    return isCertain || phrases.isAddress ? 0 : phrases.words(without: 0)
  }
}
