package import Domain

/// The gazetteer: names of places, compiled by `GazetteerBuild` into a file that is used where it lies. Opening
/// takes no more than mapping it; all processes of a host share its memory. All methods are synchronous, never wait,
/// and may be called from any thread.
package final class PlaceIndex: Sendable {
  private let file: MappedFile
  /// In memory of its own, so that the parts of a query hold one word of it.
  nonisolated(unsafe) private let index: UnsafeMutablePointer<IndexSections>
  private var sections: IndexSections { index.pointee }

  /// How many places there are: countries, regions, counties and populated places.
  package var placeCount: Int { sections.placeCount }
  /// How many of the places are countries.
  package var countryCount: Int { sections.countryCount }
  /// How many distinct folded names there are.
  package var nameCount: Int { sections.nameCount }
  /// When the file was built, seconds since 1970 (UTC).
  package var builtAt: Int64 { sections.builtAt }
  /// What the licences of the data ask to be shown beside answers.
  package let attribution: String
  /// The size of the file in bytes.
  package var byteCount: Int { file.bytes.count }

  /// Opens and validates the file. Throws `PlaceIndexError` when it is missing, foreign, cut short, damaged or of
  /// another version. The file must not be changed while it is open, only replaced by renaming.
  package init(path: String) throws(PlaceIndexError) {
    file = try MappedFile(path: path)
    let sections = try IndexSections(file.bytes, path: path)
    attribution = sections.attribution
    index = .allocate(capacity: 1)
    index.initialize(to: sections)
  }

  deinit { index.deallocate() }

  /// Whether a text is a point, in one of the forms that people and programs write.
  package static func isPoint(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { CoordinateText.parse($0) != nil }
  }

  /// The places that a text means, best first; empty when none is found, when the text has no letters, or when it is
  /// longer than `GazetteerLimits.queryBytes`. A text of coordinates is answered by the point itself.
  package func locate(_ query: PlaceQuery) -> [Place] {
    guard query.text.utf8.count <= GazetteerLimits.queryBytes, let constraints = Constraints(query, sections) else {
      return []
    }
    let isReverse = if case .reverse = constraints.kind { true } else { false }
    var text = query.text
    return text.withUTF8 { [index] bytes in
      if let point = CoordinateText.parse(bytes) {
        return isReverse ? reverse(point, constraints) : answer(point, constraints, text: bytes)
      }
      if isReverse || CoordinateText.isURI(bytes) { return [] }
      return FoldedText.withEmpty(bytes: FoldedText.bytes(foldedFrom: bytes.count)) { folded in
        folded.fold(bytes)
        return Search(index: index, text: folded, source: bytes, constraints: constraints).places()
      }
    }
  }

  /// Whether some place has exactly this name, folded already: the look-up that every search is made of.
  package func knows(folded name: String) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      var hash = NameHash()
      hash.add(UnsafeRawBufferPointer(bytes))
      return sections.name(UnsafeRawBufferPointer(bytes), hash: hash.value) != nil
    }
  }

  /// The point itself, where it is wanted: in which country it is, the nearest place tells, and where there is none,
  /// the country's extent.
  private func answer(_ point: Coordinate, _ constraints: Constraints, text: UnsafeBufferPointer<UInt8>) -> [Place] {
    guard constraints.allowPoints else { return [] }
    if constraints.hasCountry {
      let nearest = Nearby(sections, point).places(limit: 1) { _ in true }.first.flatMap { sections.place($0.place) }
      guard nearest.map({ constraints.isOfCountry($0, sections) }) ?? constraints.isInCountrysBox(point, sections)
      else { return [] }
    }
    var place = Place(point: point)
    if constraints.isDetailed {
      place.detail = Place.Detail()
      place.detail?.matched = String(decoding: text, as: UTF8.self).safeLine(bytesMax: GazetteerLimits.queryBytes)
    }
    return [place]
  }

  /// The populated places around a point; where areas are asked for, those that the nearest lie in.
  private func reverse(_ point: Coordinate, _ constraints: Constraints) -> [Place] {
    var answers: [Place] = []
    var numbers: [UInt32] = []
    let around = Nearby(sections, point).places(limit: constraints.limit) { constraints.isOfCountry($0, sections) }
    for found in around {
      guard let nearest = sections.place(found.place) else { continue }
      for number in [found.place, nearest.county, nearest.region, UInt32(nearest.country)] {
        guard answers.count < constraints.limit, !numbers.contains(number), let record = sections.place(number),
          constraints.allow(around: record),
          var place = sections.answer(
            record, language: constraints.language, match: .exact, confidence: Nearby.confidence(found))
        else { continue }
        if constraints.isDetailed { place.detail = sections.detail(of: number, record) }
        numbers.append(number)
        answers.append(place)
      }
    }
    return answers
  }
}
