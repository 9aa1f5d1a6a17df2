extension Place.Level {
  /// Name of the level in the API and on the command line.
  package var name: String {
    switch self {
    case .country: "country"
    case .region: "region"
    case .county: "county"
    case .city: "city"
    case .postcode: "postcode"
    case .street: "street"
    case .house: "house"
    }
  }
}

extension Place.Match {
  /// Name of the match in the API and on the command line.
  package var name: String {
    switch self {
    case .exact: "exact"
    case .prefix: "prefix"
    case .fuzzy: "fuzzy"
    case .fallback: "fallback"
    }
  }
}

extension Place {
  /// Writes the place's members to an open object.
  package func write(to json: inout JSONWriter) {
    json.add("label", label)
    json.add("latitude", coordinate.latitude)
    json.add("longitude", coordinate.longitude)
    json.add("level", level.name)
    json.add("match", match.name)
    json.add("confidence", (confidence * 1_000).rounded() / 1_000)
    json.add("name", name)
    json.add("region", region)
    if let detail {
      json.add("county", detail.county)
      json.add("postcode", detail.postcode)
    }
    json.add("country", country)
    json.add("countryCode", countryCode)
    if let detail { write(detail, to: &json) }
  }

  private func write(_ detail: Detail, to json: inout JSONWriter) {
    if let box = detail.box {
      // West comes first, as in GeoJSON (RFC 7946, section 5).
      json.add("boundingBox", [box.west, box.south, box.east, box.north].map { Double($0) / 1e7 })
    }
    json.add("matched", detail.matched)
    json.add("unmatched", detail.unmatched)
    json.add("provider", detail.provider)
    if detail.isDegraded { json.add("degraded", true) }
  }
}
