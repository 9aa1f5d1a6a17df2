/// What becomes of a post when its place has been looked up.
package enum Verdict: Sendable, Equatable {
  /// How a client's own coordinates and the place found agree.
  package enum Agreement: UInt8, Sendable {
    /// No coordinates were given: the place's are taken.
    case notProvided = 0
    /// They agree.
    case verified = 1
    /// The text could not be found, so there is nothing to compare with.
    case unverified = 2
    /// They are far apart.
    case mismatch = 3

    /// The word in the API.
    package var word: String {
      switch self {
      case .notProvided: "found"
      case .verified: "verified"
      case .unverified: "unverified"
      case .mismatch: "mismatch"
      }
    }
  }

  /// On the map: where, under which label, and how sure.
  package struct Published: Sendable, Equatable {
    package var coordinate: Coordinate
    /// "Seattle, Washington, United States"; the text as typed where nothing was found.
    package var label: String
    /// ISO 3166-1 alpha-2, upper case, or empty.
    package let countryCode: String
    package var agreement: Agreement
    /// How the text led to the place; nil where nothing was found, or by a version that did not keep it.
    package var match: Place.Match?

    package init(
      coordinate: Coordinate, label: String, countryCode: String, agreement: Agreement, match: Place.Match? = nil
    ) {
      self.coordinate = coordinate
      self.label = label
      // Filters by country would never match another form.
      self.countryCode = countryCode.isCountryCode ? countryCode : ""
      self.agreement = agreement
      self.match = match
    }
  }

  /// Why a post is not on the map.
  package struct Reason: Sendable, Equatable {
    /// For machines: "place_not_found".
    package var code: String
    /// For people.
    package var detail: String

    package init(code: String, detail: String) {
      self.code = code
      self.detail = detail
    }
  }

  case published(Published)
  /// For good: the same post would be rejected again.
  case rejected(Reason)
}

/// The second half of validation, after geocoding: the first half is `Submission`'s.
package enum PlacementCheck {
  /// Within how many km a client's coordinates agree with the place found, by the place's level: about the half of a
  /// large one. A country is too large for a circle: only the far side of the world disagrees.
  package static func toleranceKm(_ level: Place.Level) -> Double {
    switch level {
    case .country: 3_000
    case .region: 800
    case .county: 150
    case .city: 60
    case .postcode: 40
    case .street, .house: 10
    }
  }

  /// - Parameters:
  ///   - place: as typed.
  ///   - coordinate: the client's, if it gave one.
  ///   - found: the geocoder's best answer, or nil.
  package static func verdict(place: String, coordinate: Coordinate?, found: Place?) -> Verdict {
    switch (coordinate, found) {
    case (nil, nil):
      .rejected(
        Verdict.Reason(
          code: "place_not_found", detail: "no place is known by \"\(place)\"; name a city, a region or a country"))
    case (nil, let found?):
      .published(
        .init(
          coordinate: found.coordinate, label: found.label, countryCode: found.countryCode, agreement: .notProvided,
          match: found.match))
    case (let given?, nil):
      .published(.init(coordinate: given, label: place, countryCode: "", agreement: .unverified))
    case (let given?, let found?):
      .published(
        .init(
          coordinate: given, label: found.label, countryCode: found.countryCode,
          agreement: given.distanceKm(to: found.coordinate) <= toleranceKm(found.level) ? .verified : .mismatch,
          match: found.match))
    }
  }
}
