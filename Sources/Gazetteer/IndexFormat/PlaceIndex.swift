package import Domain

/// The gazetteer: a file of countries, regions, counties, cities and postcodes, which `GazetteerBuild` compiles. A city
/// is a populated place of any size. Opening only maps the file, and all processes of a host share its memory. All
/// methods are synchronous, never wait, and run on any thread.
package final class PlaceIndex: Sendable {
  private let file: MappedFile
  /// Allocated separately, so that each part of a query holds only a pointer to it.
  nonisolated(unsafe) private let index: UnsafeMutablePointer<IndexSections>
  private var sections: IndexSections { index.pointee }

  /// Number of places: countries, regions, counties and cities.
  package var placeCount: Int { sections.placeCount }
  /// Number of countries.
  package var countryCount: Int { sections.countryCount }
  /// Number of distinct folded names.
  package var nameCount: Int { sections.nameCount }
  /// Build time of the file, in seconds since 1970, UTC.
  package var builtAt: Int64 { sections.builtAt }
  /// Attribution that the data's licences require with results.
  package let attribution: String
  /// Size of the file, in bytes.
  package var byteCount: Int { file.bytes.count }

  /// Opens and validates the file. Do not change the file while it is open; replace it only by renaming.
  ///
  /// - Throws: `PlaceIndexError` if the file is missing, foreign, truncated, damaged or of another version.
  package init(path: String) throws(PlaceIndexError) {
    file = try MappedFile(path: path)
    let sections = try IndexSections(file.bytes, path: path)
    attribution = sections.attribution
    index = .allocate(capacity: 1)
    index.initialize(to: sections)
  }

  deinit { index.deallocate() }

  /// Returns true if a text is a point, such as "47.6, -122.3" or "geo:47.6,-122.3".
  package static func isPoint(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { CoordinateText.parse($0) != nil }
  }

  /// Returns the places that a text means, best first. Empty if no place is found, the query's country is unknown, or
  /// the text is longer than `GazetteerLimits.queryBytes`. A forward query for coordinates returns the point itself.
  package func locate(_ query: PlaceQuery) -> [Place] {
    guard query.text.utf8.count <= GazetteerLimits.queryBytes, let constraints = Constraints(query, sections) else {
      return []
    }
    let isReverse = if case .reverse = constraints.kind { true } else { false }
    var text = query.text
    return text.withUTF8 { [index] bytes in
      if let point = CoordinateText.parse(bytes) {
        return isReverse ? reverse(point, constraints) : pointResult(point, constraints, text: bytes)
      }
      if isReverse || CoordinateText.isURI(bytes) { return [] }
      return FoldedText.withEmpty(bytes: FoldedText.bytes(foldedFrom: bytes.count)) { folded in
        folded.fold(bytes)
        return Search(index: index, text: folded, source: bytes, constraints: constraints).places()
      }
    }
  }

  /// Returns true if some place has exactly this folded name. This is the basic step of every search.
  package func knows(folded name: String) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      var hash = NameHash()
      hash.add(UnsafeRawBufferPointer(bytes))
      return sections.name(UnsafeRawBufferPointer(bytes), hash: hash.value) != nil
    }
  }

  /// Returns the point itself if the constraints allow it. The nearest city decides the point's country. Without a near
  /// city, the country's extent decides.
  private func pointResult(
    _ point: Coordinate, _ constraints: Constraints, text: UnsafeBufferPointer<UInt8>
  ) -> [Place] {
    guard constraints.allowPoints else { return [] }
    if constraints.hasCountry {
      let nearest = Nearby(sections, point).places(limit: 1) { _ in true }.first.flatMap { sections.place($0.place) }
      guard nearest.map({ constraints.isOfCountry($0, sections) }) ?? constraints.isInCountryBox(point, sections)
      else { return [] }
    }
    var place = Place(point: point)
    if constraints.isDetailed {
      place.detail = Place.Detail()
      place.detail?.matched = String(decoding: text, as: UTF8.self).safeLine(bytesMax: GazetteerLimits.queryBytes)
    }
    return [place]
  }

  /// Returns the cities around a point, nearest first, and the areas that contain these cities. The query's levels
  /// select among them.
  private func reverse(_ point: Coordinate, _ constraints: Constraints) -> [Place] {
    var results: [Place] = []
    var numbers: [UInt32] = []
    let nearby = Nearby(sections, point).places(limit: constraints.limit) { constraints.isOfCountry($0, sections) }
    for found in nearby {
      guard let nearest = sections.place(found.place) else { continue }
      for number in [found.place, nearest.county, nearest.region, UInt32(nearest.country)] {
        guard results.count < constraints.limit, !numbers.contains(number), let record = sections.place(number),
          constraints.allow(around: record),
          var place = sections.result(
            for: record, language: constraints.language, match: .exact, confidence: Nearby.confidence(found))
        else { continue }
        if constraints.isDetailed { place.detail = sections.detail(of: number, record) }
        numbers.append(number)
        results.append(place)
      }
    }
    return results
  }
}
