import Domain

/// The execution of one query. It finds the names in the text and scores each place of each name as a candidate. The
/// score depends on three things: the share of the text that belongs to the place or its areas, the place's rank, and
/// the position of its name. (Coverage by disjoint token masks, as in Mapbox Carmen.)
struct Search {
  let index: UnsafePointer<IndexSections>
  var sections: IndexSections { index.pointee }
  let text: FoldedText
  /// The text as the user typed it.
  let source: UnsafeBufferPointer<UInt8>
  let constraints: Constraints

  /// Returns the results, best first.
  func places() -> [Place] {
    guard text.tokenCount > 0, !text.isTruncated else { return [] }
    // Most queries are short and spelt correctly. Their memory fits on the stack.
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

  /// Returns the results.
  ///
  /// - Parameter asTyped: True to search without corrections. The result is then nil if a word is probably misspelt or
  ///   the names fill `matches`.
  private func places(_ matches: UnsafeMutableBufferPointer<NameMatch>, asTyped: Bool) -> [Place]? {
    // Candidates after the wanted ones serve to estimate confidence and replace duplicates.
    let capacity = (constraints.limit == 1 ? 0 : Limits.candidatesMax) + GazetteerLimits.rivals
    return withUnsafeTemporaryAllocation(of: Candidate.self, capacity: capacity) { storage in
      withUnsafeTemporaryAllocation(of: PostcodeMatch.self, capacity: GazetteerLimits.postcodesPerQuery) { codes in
        let matcher = NameMatcher(index, text)
        let postcodes = PostcodeMatcher(index, text, codes)
        var count = matcher.find(into: matches)
        if case .autocomplete = constraints.kind { count = matcher.findPrefixes(into: matches, after: count) }
        if asTyped, count == matches.count { return nil }
        var ranking = rank(matcher, matches, count, postcodes, storage)
        let words = misspelt(ranking.best, matcher)
        if words != 0 {
          if asTyped { return nil }
          let all = matcher.findMisspelt(words, into: matches, after: count)
          if all > count { ranking = rank(matcher, matches, all, postcodes, storage) }
        }
        return ranking.places(constraints, sections, detail: detail)
      }
    }
  }

  private func rank(
    _ matcher: NameMatcher, _ matches: UnsafeMutableBufferPointer<NameMatch>, _ count: Int,
    _ postcodes: PostcodeMatcher,
    _ storage: UnsafeMutableBufferPointer<Candidate>
  ) -> TopCandidates {
    var ranking = TopCandidates(storage, limit: constraints.limit)
    let found = UnsafeBufferPointer(rebasing: matches[..<count])
    CandidateScorer(index: index, matcher: matcher, matches: found, postcodes: postcodes, constraints: constraints)
      .rank(into: &ranking)
    return ranking
  }

  /// Returns the mask of the words that are probably misspelt: the uncovered ones, unless they may belong to a street.
  /// Returns all words if the best place is so small that a larger one with a similar name is likelier.
  private func misspelt(_ best: Candidate?, _ matcher: NameMatcher) -> UInt64 {
    guard let best else { return matcher.words(without: 0) }
    let uncovered = matcher.words(without: best.mask)
    guard let place = sections.place(best.place) else { return 0 }
    if uncovered != 0 {
      return place.level >= Place.Level.city.rawValue && (best.hasContext || matcher.isAddress) ? 0 : uncovered
    }
    let isCertain = best.hasContext || best.population >= GazetteerLimits.certainPopulation
    return isCertain || matcher.isAddress ? 0 : matcher.words(without: 0)
  }
}
