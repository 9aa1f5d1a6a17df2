import OnTheMap

/// One query at work. Finds the names in the text, takes each place of each name as a candidate, and scores it by how
/// much of the text belongs to it or to what contains it (coverage by disjoint token masks, as in Mapbox Carmen), by
/// its rank and by where its name stands.
struct Search {
  let sections: IndexSections
  let text: FoldedText

  init(_ sections: IndexSections, _ text: FoldedText) {
    self.sections = sections
    self.text = text
  }

  /// The answers, best first.
  func places(_ query: PlaceQuery) -> [Place] {
    guard text.tokenCount > 0, !text.isCut else { return [] }
    var country: UInt16?
    if let code = query.country {
      guard let number = CountryRecord.code(code.utf8).flatMap(sections.country(code:)) else { return [] }
      country = number
    }
    return withUnsafeTemporaryAllocation(of: NameMatch.self, capacity: GazetteerLimits.matches) { matches in
      withUnsafeTemporaryAllocation(of: Candidate.self, capacity: GazetteerLimits.answers) { room in
        let phrases = Phrases(sections: sections, text: text)
        let count = phrases.find(into: matches)
        var ranking = Ranking(room, capacity: max(query.limit, 2))
        let found = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(matches)[..<count])
        var reading = Reading(sections: sections, phrases: phrases, matches: found, country: country)
        reading.rank(into: &ranking)
        return ranking.places(limit: query.limit, sections)
      }
    }
  }
}
