import Domain

/// The best candidates so far, each place once, in memory that the caller provides.
struct TopCandidates {
  private let storage: UnsafeMutableBufferPointer<Candidate>
  private var count = 0
  /// Number of wanted results. Further candidates serve to estimate confidence.
  private let limit: Int

  /// Difference of scores at which a rival no longer lowers the confidence. It equals a factor of 256 in inhabitants. A
  /// rival with an equal score halves the confidence.
  private static let rivalMargin = 8 * 256

  init(_ storage: UnsafeMutableBufferPointer<Candidate>, limit: Int) {
    self.storage = storage
    self.limit = limit
  }

  /// Maximum number of candidates.
  var capacity: Int { storage.count }

  /// The best candidate so far.
  var best: Candidate? { count > 0 ? storage[0] : nil }

  /// Returns the minimum score of a candidate that can change the results. If one result is wanted, the candidate must
  /// become the result or its rival. A candidate that covers less of the text than the best one can only become the
  /// result.
  func scoreMin(covering covered: Int) -> Int {
    guard count > 0 else { return .min }
    let last = count == capacity ? storage[count - 1].score : .min
    guard limit == 1 else { return last }
    return max(last, covered < storage[0].covered ? storage[0].score : storage[0].score - Self.rivalMargin)
  }

  mutating func insert(_ candidate: Candidate) {
    if count == capacity, !Candidate.precedes(candidate, storage[count - 1]) { return }
    if let same = storage[..<count].firstIndex(where: { $0.place == candidate.place }) {
      guard Candidate.precedes(candidate, storage[same]) else { return }
      for index in same..<(count - 1) { storage[index] = storage[index + 1] }
      count -= 1
    }
    var index = min(count, capacity - 1)
    while index > 0, Candidate.precedes(candidate, storage[index - 1]) {
      storage[index] = storage[index - 1]
      index -= 1
    }
    storage[index] = candidate
    count = min(count + 1, capacity)
  }

  /// Returns the results that cover as much of the text as the best one.
  ///
  /// - Parameter detail: Returns a result's details. Called only if the query asks for them.
  func places(
    _ constraints: Constraints, _ sections: IndexSections, detail: (Candidate, PlaceRecord) -> Place.Detail
  ) -> [Place] {
    guard let best else { return [] }
    var places: [Place] = []
    // A result is at most as certain as the one before it.
    var confidenceMax = 1.0
    for index in 0..<count where storage[index].covered >= best.covered {
      guard places.count < limit else { break }
      let candidate = storage[index]
      let confidence = min(confidence(candidate, sections), confidenceMax)
      guard let record = sections.place(candidate.place), !isDuplicate(record, sections, before: index),
        var place = sections.result(
          for: record, postcode: postcode(candidate, record, sections), language: constraints.language,
          match: candidate.match, confidence: confidence)
      else { continue }
      confidenceMax = confidence
      if constraints.isDetailed { place.detail = detail(candidate, record) }
      // A literal of one element allocates exactly once.
      if places.isEmpty { places = [place] } else { places.append(place) }
    }
    return places
  }

  /// Returns true if an earlier candidate stands for the same place. Both must have the same region and the same name.
  /// They must also be related (`areRelated`), unless the later place has no known population.
  private func isDuplicate(_ place: PlaceRecord, _ sections: IndexSections, before index: Int) -> Bool {
    (0..<index).contains { earlier in
      guard let other = sections.place(storage[earlier].place) else { return false }
      return other.region == place.region && storage[earlier].isPostcode == storage[index].isPostcode
        && sections.name(of: other).hasBytes(of: sections.name(of: place))
        && (place.population == 0 || areRelated(storage[earlier], storage[index], sections))
    }
  }

  /// Returns the postcode whose point the result has: the wanted postcode, or a postcode near the city that the text
  /// names. Nil for a postcode farther away, because some sources know only the region of a code.
  private func postcode(
    _ candidate: Candidate, _ record: PlaceRecord, _ sections: IndexSections
  ) -> PostcodeRecord? {
    guard let postcode = sections.postcode(candidate.postcode) else { return nil }
    return candidate.isPostcode || postcode.isNear(record, km: GazetteerLimits.postcodePointKm) ? postcode : nil
  }

  /// Returns the confidence of a candidate, from 0 to 1: the share of the text that the candidate covers. A
  /// misspelling, a possible coincidence and a rival of a similar score lower the confidence.
  private func confidence(_ candidate: Candidate, _ sections: IndexSections) -> Double {
    var confidence = Double(candidate.covered) / Double(max(candidate.total, 1))
    if !candidate.isWhole { confidence *= 0.8 }
    if candidate.spelling != .exact { confidence *= 0.95 }
    // A region's name is not a coincidence, even if the data knows little of the region.
    if candidate.mayBeCoincidence, sections.place(candidate.place)?.isWide == false { confidence *= 0.8 }
    let rival = storage[..<count].first {
      $0.place != candidate.place && $0.covered >= candidate.covered && !areRelated($0, candidate, sections)
    }
    if let rival {
      let distance = Double(candidate.score - rival.score) / Double(Self.rivalMargin)
      confidence *= 1 - 0.5 * min(max(1 - distance, 0), 1)
    }
    return confidence
  }

  /// Returns true if two candidates are not rivals: a place and its region or country, or two places within 0.2
  /// degrees.
  private func areRelated(_ first: Candidate, _ second: Candidate, _ sections: IndexSections) -> Bool {
    guard let a = sections.place(first.place), let b = sections.place(second.place), a.country == b.country else {
      return false
    }
    if a.region == second.place || b.region == first.place { return true }
    if first.place == UInt32(b.country) || second.place == UInt32(a.country) { return true }
    // About 20 km.
    let distanceMaxE7: Int64 = 2_000_000
    return abs(Int64(a.latitudeE7) - Int64(b.latitudeE7)) < distanceMaxE7
      && abs(Int64(a.longitudeE7) - Int64(b.longitudeE7)) < distanceMaxE7
  }
}
