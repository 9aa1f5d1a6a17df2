import Domain

/// A scorer of the possible meanings of a query. Each match in turn counts as the wanted place, and the other matches
/// count as areas around it.
struct CandidateScorer {
  private let index: UnsafePointer<IndexSections>
  private var sections: IndexSections { index.pointee }
  let matcher: NameMatcher
  let matches: UnsafeBufferPointer<NameMatch>
  let constraints: Constraints
  private let postcodes: PostcodeMatcher

  /// Bonus of each area in the text that contains the place. All scores are in 1/256, as ranks are. The bonus exceeds
  /// the difference of ranks between the smallest city and the largest country, about 35 * 256.
  private static let contextBonus = 36 * 256
  /// The highest possible rank: `PlaceRecord.rank` of a country with 2^32 inhabitants.
  private static let rankMax = 49 * 256
  /// Maximum number of areas that count: county, region, country, and a postcode.
  private static let contextsMax = 4
  /// Bonus of each token of the place's name.
  private static let tokenBonus = 384
  /// Penalty of a name that is only a part of a longer name in the text. It outweighs the bonus of one area.
  private static let partPenalty = 40 * 256
  /// Penalty of a code as the wanted place if the text has other words. An alternate name as short as a code counts as
  /// one.
  private static let codePenalty = 8 * 256
  /// Penalty of a country's or region's code, instead of `codePenalty`, if no other word names an area around it.
  private static let strayCodePenalty = 16 * 256

  /// Penalty of a misspelt name. The name counts as that of a place with 256 times fewer inhabitants.
  private static let fuzzyPenalty = 8 * 256
  /// Bonus of a postcode as the wanted place, besides `digitBonus` and a quarter of its country's rank.
  private static let postcodeBonus = 3 * 256
  /// Bonus of each letter and digit of a postcode. It equals a country with 1,024 times as many inhabitants.
  private static let digitBonus = 640
  /// Penalty of a postcode without an area if words remain uncovered. The words may name a city in another country.
  private static let leftOverPenalty = 12 * 256
  /// Penalty of a name of which the text has only the beginning. The name counts as that of a place with four times
  /// fewer inhabitants.
  private static let prefixPenalty = 2 * 256
  /// Penalty of an alternate name if all other words are as short as codes.
  private static let codedPenalty = 6 * 256
  /// Penalty of a city with the code of its country or county, if a region with the same code has a city of that name.
  /// "Salem, IN" is therefore in Indiana and not in India. The penalty equals a factor of 181 in inhabitants. "London,
  /// CA" is in Canada, because London in Canada has more than 181 times the inhabitants of London in California.
  private static let foreignCodePenalty = 15 * 128
  /// Bonus of a region that the text calls a region.
  private static let designatorBonus = 20 * 256

  init(
    index: UnsafePointer<IndexSections>, matcher: NameMatcher, matches: UnsafeBufferPointer<NameMatch>,
    postcodes: PostcodeMatcher, constraints: Constraints
  ) {
    self.index = index
    self.matcher = matcher
    self.matches = matches
    self.constraints = constraints
    self.postcodes = postcodes
  }

  func rank(into ranking: inout TopCandidates) {
    var postingsLeft = GazetteerLimits.postingsPerQuery
    // Names between commas are the likeliest, so score them first. The search can then skip most other names.
    for match in matches where match.isSegment { rank(match, &postingsLeft, &ranking) }
    for match in matches where !match.isSegment { rank(match, &postingsLeft, &ranking) }
    for match in postcodes.matches { consider(match, &ranking) }
  }

  private func rank(_ wanted: NameMatch, _ postingsLeft: inout Int, _ ranking: inout TopCandidates) {
    guard let penalty = wanted.penalty else { return }
    var contextsMax = postcodes.matches.isEmpty ? 0 : 1
    var coverable = postcodes.matches.isEmpty ? wanted.mask : matcher.all
    var others: UInt128 = 0
    for (number, match) in matches.enumerated() where !match.overlaps(wanted) && !match.isStreet {
      // "West Virginia" is not Virginia.
      if match.longer != 0, match.longer & wanted.mask == 0 { continue }
      if match.hasAreas || largeCity(of: match) != nil {
        contextsMax += 1
      } else if match.postings != wanted.postings {
        continue
      }
      others |= 1 << number
      coverable |= match.mask
    }
    let baseScore =
      Self.tokenBonus * (wanted.end - wanted.first) - Int(penalty) - (wanted.longer != 0 ? Self.partPenalty : 0)
      - self.penalty(wanted.spelling)
    let gainMax =
      baseScore + min(contextsMax, Self.contextsMax) * Self.contextBonus + constraints.focusBonusMax
      + (matcher.isDesignatedRegion(wanted) ? Self.designatorBonus : 0)
    let coveredMax = matcher.weight(of: coverable)
    // Usually the name is a part of a longer one. Skip it without reading its places.
    guard gainMax + Self.rankMax >= ranking.scoreMin(covering: coveredMax) else { return }
    let placesMax = UInt32(GazetteerLimits.postingsPerName)
    let areas = wanted.postings.lowerBound..<wanted.areaEnd
    let places = wanted.areaEnd..<wanted.areaEnd + min(wanted.postings.upperBound - wanted.areaEnd, placesMax)
    if !areas.isEmpty { consider(wanted, others, baseScore, gainMax, coveredMax, areas, &postingsLeft, &ranking) }
    if !places.isEmpty { consider(wanted, others, baseScore, gainMax, coveredMax, places, &postingsLeft, &ranking) }
  }

  /// Considers a postcode as the wanted place, in each country that uses it. Areas around the postcode's city count as
  /// context.
  private func consider(_ match: PostcodeMatch, _ ranking: inout TopCandidates) {
    for number in match.records {
      guard let record = sections.postcode(number), let place = sections.place(record.place),
        match.country ?? record.country == record.country,
        constraints.isEmpty || constraints.allow(postcodeOf: place, sections)
      else { continue }
      let code = sections.country(record.country)?.code ?? 0
      var mask = match.mask | PostcodeMatcher.around(match, code, matcher.text)
      let isSufficient =
        match.length >= GazetteerLimits.postcodeLengthMin || mask != match.mask || match.country != nil
        || constraints.hasCountry
        // "SE1" is a postcode, but three digits could be any number.
        || match.mask == matcher.all && match.length >= GazetteerLimits.letteredPostcodeLengthMin
          && matcher.hasLetters(match)
      var contexts = 0
      for area in matches where area.mask & mask == 0 && !area.isStreet && contains(area, place, record.place) {
        mask |= area.mask
        contexts += 1
      }
      let (isWhole, isLast) = (matcher.isWhole(mask), matcher.isLast(match.end))
      // "Meet me at 1900" names no postcode; "12 Long Street, 1011" and "museum 10115" do.
      let isPlausible = isWhole || matcher.hasStreet || isLast && match.length > GazetteerLimits.postcodeLengthMin
      guard contexts > 0 || isSufficient && isPlausible else { continue }
      let countryRank = sections.place(UInt32(record.country))?.rank ?? 0
      let score =
        Self.postcodeBonus + Int(countryRank) / 4 + contexts * Self.contextBonus + Self.digitBonus * match.length
        - (isLast ? 0 : Self.codePenalty) + constraints.focusBonus(place)
        - (contexts > 0 || isWhole ? 0 : Self.leftOverPenalty)
      ranking.insert(
        Candidate(
          place: record.place, score: score, covered: matcher.weight(of: mask), total: matcher.total, mask: mask,
          hasContext: contexts > 0, isSegment: true, isLast: isLast, prominence: score,
          isInAddress: matcher.isAddress,
          postcode: number, isPostcode: true, spelling: .exact, isWhole: isWhole,
          population: place.population))
    }
  }

  /// Considers the places of a name.
  ///
  /// - Parameters:
  ///   - others: The matches, one bit each, that can be areas of the name's places.
  ///   - baseScore: The part of the score that all places of the name share.
  ///   - gainMax: The maximum score of a candidate of this name without its rank. Ranks fall from posting to posting,
  ///     so the search ends at the first posting that is too low.
  ///   - coveredMax: The maximum weight of the tokens that a candidate covers.
  private func consider(
    _ wanted: NameMatch, _ others: UInt128, _ baseScore: Int, _ gainMax: Int, _ coveredMax: Int,
    _ postings: Range<UInt32>, _ postingsLeft: inout Int, _ ranking: inout TopCandidates
  ) {
    let regionBonus = matcher.isDesignatedRegion(wanted) ? Self.designatorBonus : 0
    let isWholeText = wanted.mask == matcher.all
    let isLast = matcher.isLast(wanted.end)
    // "Me" alone is the code of Montenegro. If words remain uncovered, "me" is not a place.
    let isSmallWord = matcher.isSmallWord(wanted)
    let isCoded = matcher.isCoded(wanted)
    var foreignPenalty: Int?
    for number in postings {
      postingsLeft -= 1
      guard postingsLeft >= 0, let posting = sections.posting(number), let place = sections.place(posting.place) else {
        return
      }
      let scoreMax = gainMax + Int(place.rank) - posting.kind.demotion(level: place.level)
      if scoreMax < ranking.scoreMin(covering: coveredMax) { return }
      guard constraints.isEmpty || constraints.allow(place, sections), posting.kind != .code || readsAsCode(wanted)
      else { continue }
      // A city without a known population is not a useful guess.
      if wanted.spelling == .fuzzy, place.population == 0, place.isCity { continue }
      var (mask, contexts, foreignCode) = coverage(of: wanted, others, place, posting)
      if foreignCode != 0, foreignPenalty == nil {
        foreignPenalty = isInRegion(of: foreignCode, wanted) ? Self.foreignCodePenalty : 0
      }
      let postcode = place.isCity ? nearPostcode(place, &mask) : PlaceRecord.none
      if postcode != PlaceRecord.none { contexts += 1 }
      var demotion = posting.demotion(level: place.level)
      // "Bethlehem, PA" is not Belém in Pará, which has the alternate name Bethlehem.
      if isCoded, contexts > 0, posting.kind == .alternate { demotion += Self.codedPenalty }
      let candidate = Candidate(
        place: posting.place,
        score: baseScore + (wanted.isStreet ? 0 : min(contexts, Self.contextsMax) * Self.contextBonus) + Int(place.rank)
          - demotion
          + (place.isRegion ? regionBonus : 0)
          + constraints.focusBonus(place)
          - (isWholeText ? 0 : codeReadingPenalty(posting, wanted, place, hasContext: contexts > 0))
          - (foreignCode == 0 ? 0 : foreignPenalty ?? 0),
        covered: matcher.weight(of: mask), total: matcher.total, mask: mask, hasContext: contexts > 0,
        isSegment: wanted.isSegment, isLast: isLast,
        prominence: Int(place.rank) - demotion - (wanted.spelling == .fuzzy ? Self.fuzzyPenalty : 0),
        isInAddress: matcher.isAddress, postcode: postcode, isPostcode: false, spelling: wanted.spelling,
        isWhole: !wanted.isPartial && matcher.isWhole(mask), population: place.population)
      if candidate.isPlausible, isSmallWord || posting.kind == .code ? mayBePlace(candidate, place, wanted) : true {
        ranking.insert(candidate)
      }
    }
  }

  /// Returns true if a small word or a code may be the wanted place. An area around it in the text suffices. As the
  /// whole text, a small word may be a country ("me"), but a region only in capitals ("OR"). Without an area, and with
  /// other words, a code must be a whole segment, and a small word is not a place.
  private func mayBePlace(_ candidate: Candidate, _ place: PlaceRecord, _ wanted: NameMatch) -> Bool {
    if candidate.hasContext { return true }
    if wanted.mask == matcher.all {
      return !place.isRegion || !matcher.isSmallWord(wanted) || matcher.isCapital(wanted)
    }
    return !matcher.isSmallWord(wanted) && wanted.isSegment
  }

  private func nearPostcode(_ place: PlaceRecord, _ mask: inout UInt64) -> UInt32 {
    guard !postcodes.matches.isEmpty,
      let found = postcodes.record(near: place, without: mask, matcher.text)
    else { return PlaceRecord.none }
    mask |= found.mask
    return found.number
  }

  private func penalty(_ spelling: Spelling) -> Int {
    switch spelling {
    case .exact: 0
    case .fuzzy: Self.fuzzyPenalty
    case .prefix: Self.prefixPenalty
    }
  }

  /// Returns true if the position allows a code as the wanted place ("NYC", "LA, California"). The code must be a whole
  /// segment, or only numbers and other codes may follow it.
  private func readsAsCode(_ wanted: NameMatch) -> Bool {
    wanted.isSegment || wanted.readsCodes && wanted.end - wanted.first == 1
  }

  /// Returns the penalty of a code as the wanted place of a text that has other words. Without the penalty, "Jordan,
  /// MN" would mean Amman in Jordan, whose alternate name "ʻmʼn" folds to "mn". A country's or region's code has a
  /// higher penalty if the text names no area around it. Otherwise "Monterrey, NL" would mean the Netherlands.
  private func codeReadingPenalty(
    _ posting: Posting, _ wanted: NameMatch, _ place: PlaceRecord, hasContext: Bool
  ) -> Int {
    guard posting.kind == .code || posting.kind == .alternate && matcher.isShort(wanted) else { return 0 }
    return !hasContext && place.isWide ? Self.strayCodePenalty : Self.codePenalty
  }

  /// Returns the mask of the tokens that name a place and the areas around it. Longer names take precedence. Also
  /// returns the number of areas, and the mask of a code that names an area other than the place's region, or 0.
  private func coverage(
    of wanted: NameMatch, _ others: UInt128, _ place: PlaceRecord, _ posting: Posting
  ) -> (mask: UInt64, contexts: Int, foreignCode: UInt64) {
    var mask = wanted.mask
    var foreignCode: UInt64 = 0
    var contexts = 0
    var others = others
    while others != 0 {
      let match = matches[others.trailingZeroBitCount]
      others &= others - 1
      guard match.mask & mask == 0 else { continue }
      if match.hasAreas, contains(match, place, posting.place) {
        mask |= match.mask
        contexts += 1
        if matcher.isShort(match), !place.isWide, !isCode(match, of: place.region) { foreignCode = match.mask }
      } else if place.isCity, isAround(match, place) {
        mask |= match.mask
        contexts += 1
      } else if !posting.isArea && match.postings == wanted.postings || isCode(match, of: posting.place) {
        // "Reading, Reading, PA" and "California, CA": the repetition covers its token but is not evidence.
        mask |= match.mask
      }
    }
    return (mask, contexts, foreignCode)
  }

  /// Returns the large city that a name may mean together with the city's quarter or suburb: "Soho, London". Nil in an
  /// address, where the name may belong to the street.
  private func largeCity(of match: NameMatch) -> PlaceRecord? {
    guard !matcher.isAddress, match.penalty != nil, match.areaEnd < match.postings.upperBound,
      let city = sections.posting(match.areaEnd).flatMap({ sections.place($0.place) }),
      city.population >= GazetteerLimits.largeCityPopulation
    else { return nil }
    return city
  }

  /// Returns true if a name is that of a large city within 0.25 degrees of a smaller place.
  private func isAround(_ match: NameMatch, _ place: PlaceRecord) -> Bool {
    guard let city = largeCity(of: match) else { return false }
    let distanceMaxE7: Int64 = 2_500_000
    return city.country == place.country && city.population > place.population
      && abs(Int64(city.latitudeE7) - Int64(place.latitudeE7)) < distanceMaxE7
      && abs(Int64(city.longitudeE7) - Int64(place.longitudeE7)) < distanceMaxE7
  }

  private func isCode(_ match: NameMatch, of area: UInt32) -> Bool {
    match.readsCodes
      && match.areas.contains { number in
        sections.posting(number).map { $0.place == area && $0.kind == .code } ?? false
      }
  }

  /// Returns true if a code is also that of a region in which a city has the wanted name.
  private func isInRegion(of token: UInt64, _ wanted: NameMatch) -> Bool {
    guard let code = matches.first(where: { $0.mask == token }) else { return false }
    let count = min(wanted.postings.upperBound - wanted.areaEnd, UInt32(GazetteerLimits.citiesPerCode))
    let cities = wanted.areaEnd..<wanted.areaEnd + count
    return cities.contains { number in
      sections.posting(number).flatMap { sections.place($0.place) }.map { isCode(code, of: $0.region) } ?? false
    }
  }

  private func contains(_ match: NameMatch, _ place: PlaceRecord, _ number: UInt32) -> Bool {
    for candidate in match.areas {
      guard let posting = sections.posting(candidate) else { return false }
      let area = posting.place
      let isCountry = area < UInt32(sections.countryCount)
      // "USA Texas Austin": a country's code may come first.
      if area == number || posting.kind == .code && !match.readsCodes && !(isCountry && match.first == 0) { continue }
      if area == place.region || area == UInt32(place.country) { return true }
      if isCountry, let own = sections.country(place.country),
        UInt32(own.sovereign) == area
      {
        return true
      }
      // A metropolis contains counties, so it is not part of one.
      if area == place.county, place.population < GazetteerLimits.metropolis { return true }
      if place.isCity, place.county == PlaceRecord.none,
        place.population < GazetteerLimits.metropolis, let record = sections.place(area),
        record.isCounty, record.region == place.region, record.country == place.country,
        isNear(record, place)
      {
        return true
      }
    }
    return false
  }

  /// Returns true if two places are less than 0.8 degrees apart in latitude and in longitude, about half the width of a
  /// large county. The distance decides for a place whose county the data does not name.
  private func isNear(_ a: PlaceRecord, _ b: PlaceRecord) -> Bool {
    let distanceMaxE7: Int64 = 8_000_000
    return abs(Int64(a.latitudeE7) - Int64(b.latitudeE7)) < distanceMaxE7
      && abs(Int64(a.longitudeE7) - Int64(b.longitudeE7)) < distanceMaxE7
  }
}
