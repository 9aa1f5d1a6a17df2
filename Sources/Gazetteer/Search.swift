import OnTheMap

/// One query at work. Finds the names in the text, takes each place of each name as a candidate, and scores it by how
/// much of the text belongs to it or to what contains it (coverage by disjoint token masks, as in Mapbox Carmen), by
/// its rank and by where its name stands.
struct Search {
  unowned(unsafe) let sections: IndexSections
  let text: FoldedText
  /// As typed.
  let source: UnsafeBufferPointer<UInt8>

  init(_ sections: IndexSections, _ text: FoldedText, source: UnsafeBufferPointer<UInt8>) {
    self.sections = sections
    self.text = text
    self.source = source
  }

  /// The answers, best first.
  func places(_ query: PlaceQuery) -> [Place] {
    guard text.tokenCount > 0, !text.isCut else { return [] }
    guard let constraints = Constraints(query, sections) else { return [] }
    return withUnsafeTemporaryAllocation(of: NameMatch.self, capacity: GazetteerLimits.matches) { matches in
      withUnsafeTemporaryAllocation(of: Candidate.self, capacity: GazetteerLimits.answers) { room in
        let phrases = Phrases(sections: sections, text: text)
        var count = phrases.find(into: matches)
        if query.kind == .prefix { count = phrases.findBegun(into: matches, after: count) }
        var ranking = rank(phrases, matches[..<count], constraints, limit: query.limit, room)
        let words = misspelt(ranking.best, phrases)
        if words != 0 {
          let all = phrases.findMisspelt(words, into: matches, after: count)
          if all > count { ranking = rank(phrases, matches[..<all], constraints, limit: query.limit, room) }
        }
        return ranking.places(for: query, sections, detail: detail)
      }
    }
  }

  private func rank(
    _ phrases: Phrases, _ matches: Slice<UnsafeMutableBufferPointer<NameMatch>>, _ constraints: Constraints,
    limit: Int,
    _ room: UnsafeMutableBufferPointer<Candidate>
  ) -> Ranking {
    var ranking = Ranking(room, capacity: max(limit, 2))
    let found = UnsafeBufferPointer(UnsafeMutableBufferPointer(rebasing: matches))
    var reading = Reading(sections: sections, phrases: phrases, matches: found, constraints: constraints)
    reading.rank(into: &ranking)
    return ranking
  }

  /// The words that are probably misspelt, one bit each: those that are left over, unless they may be a street's; and
  /// all, where the place that was found is so small that the name of a larger one was rather meant.
  private func misspelt(_ best: Candidate?, _ phrases: Phrases) -> UInt64 {
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
