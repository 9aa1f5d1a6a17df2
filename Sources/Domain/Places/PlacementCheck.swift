/// Outcome of a post after its geocoding.
package enum Verdict: Sendable, Equatable {
  /// Agreement of a client's own coordinates with the place found.
  package enum Agreement: UInt8, Sendable {
    /// The client gave no coordinates. The post has the coordinates of the place.
    case notGiven = 0
    /// The coordinates agree with the place.
    case verified = 1
    /// The geocoder found no place to compare the coordinates with.
    case unverified = 2
    /// The coordinates are far from the place.
    case mismatch = 3

    /// Name of the agreement in the API.
    package var name: String {
      switch self {
      case .notGiven: "not_given"
      case .verified: "verified"
      case .unverified: "unverified"
      case .mismatch: "mismatch"
      }
    }
  }

  /// Published result: coordinates, label and agreement.
  package struct Published: Sendable, Equatable {
    package var coordinate: Coordinate
    /// Label, for example "Seattle, Washington, United States". The text as typed if no place was found, or if the
    /// coordinates are far from it.
    package var label: String
    /// Country code in ISO 3166-1 alpha-2, upper case. Empty if it is unknown.
    package let countryCode: String
    package var agreement: Agreement
    /// Kind of match between the text and the place. Nil if no place was found, or if an early version stored the post.
    package var match: Place.Match?

    package init(
      coordinate: Coordinate, label: String, countryCode: String, agreement: Agreement, match: Place.Match? = nil
    ) {
      self.coordinate = coordinate
      self.label = label
      // A filter by country would never match a code of another form.
      self.countryCode = countryCode.isCountryCode ? countryCode : ""
      self.agreement = agreement
      self.match = match
    }
  }

  /// Reason why a post is not on the map.
  package struct Reason: Sendable, Equatable {
    /// Code for machines, for example "place_not_found".
    package var code: String
    /// Explanation for people.
    package var detail: String

    package init(code: String, detail: String) {
      self.code = code
      self.detail = detail
    }
  }

  case published(Published)
  /// The post is rejected. The same post would be rejected again.
  case rejected(Reason)
}

/// Validation of a post after its geocoding. `Submission` validates the post before.
package enum PlacementCheck {
  /// Returns the greatest distance, in km, at which a client's coordinates agree with a place of this level. The
  /// distance is about half the size of a large place. A country fits no circle, so only coordinates far outside it are
  /// a mismatch.
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

  /// Returns the outcome of a post.
  ///
  /// - Parameters:
  ///   - place: Place as typed.
  ///   - coordinate: Coordinates from the client, or nil.
  ///   - found: Best result of the geocoder, or nil.
  package static func verdict(place: String, coordinate: Coordinate?, found: Place?) -> Verdict {
    switch (coordinate, found) {
    case (nil, nil):
      .rejected(
        Verdict.Reason(
          code: "place_not_found", detail: "no place found for \"\(place)\"; name a city, a region or a country"))
    case (nil, let found?):
      .published(
        .init(
          coordinate: found.coordinate, label: found.label, countryCode: found.countryCode, agreement: .notGiven,
          match: found.match))
    case (let given?, nil):
      .published(.init(coordinate: given, label: place, countryCode: "", agreement: .unverified))
    case (let given?, let found?):
      if given.distanceKm(to: found.coordinate) <= toleranceKm(found.level) {
        .published(
          .init(
            coordinate: given, label: found.label, countryCode: found.countryCode, agreement: .verified,
            match: found.match))
      } else {
        // The pin is elsewhere, so the names of the place found would contradict it.
        .published(.init(coordinate: given, label: place, countryCode: "", agreement: .mismatch, match: found.match))
      }
    }
  }
}
