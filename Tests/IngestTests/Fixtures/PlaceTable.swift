import Domain

/// The places that the tests' workers know. A text that starts with a known place is a partial match of that place.
enum PlaceTable {
  private static let places = [
    "Oslo": city("Oslo", in: "Norway", "NO", 59.91273, 10.74609),
    "Lima": city("Lima", in: "Peru", "PE", -12.04318, -77.02824),
    "Rome": city("Rome", in: "Italy", "IT", 41.89193, 12.51133),
    "Bonn": city("Bonn", in: "Germany", "DE", 50.73438, 7.09549),
    "Quito": city("Quito", in: "Ecuador", "EC", -0.22985, -78.52495),
    "Cairo": city("Cairo", in: "Egypt", "EG", 30.06263, 31.24967),
    "Paris": city("Paris", in: "France", "FR", 48.85341, 2.3488),
    "東京": city("東京", in: "Japan", "JP", 35.6895, 139.69171),
    "München": city("München", region: "Bavaria", in: "Germany", "DE", 48.13743, 11.57549),
    "Seattle, WA": city("Seattle", region: "Washington", in: "United States", "US", 47.60621, -122.33207),
    "Paris, TX": city("Paris", region: "Texas", in: "United States", "US", 33.66094, -95.55551),
    "Mountain View, CA": city("Mountain View", region: "California", in: "United States", "US", 37.38605, -122.08385),
    "Costa Rica": place("Costa Rica", .country, in: "Costa Rica", "CR", 9.93333, -84.08333),
  ]

  /// Returns the outcome of a job: the place of its text.
  static func outcome(of job: Job) -> JobOutcome {
    let text = job.placeQuery.text
    guard job.placeQuery.kind != .reverse else { return .notFound }
    if let exact = places[text] { return .located([exact]) }
    guard let known = places.keys.filter({ text.hasPrefix($0 + " ") }).max(by: { $0.utf8.count < $1.utf8.count }),
      var place = places[known]
    else { return .notFound }
    place.match = .fallback
    return .located([place])
  }

  private static func city(
    _ name: String, region: String = "", in country: String, _ code: String, _ latitude: Double, _ longitude: Double
  ) -> Place {
    var city = place(name, .city, in: country, code, latitude, longitude)
    city.region = region
    city.label = [name, region, country].filter { !$0.isEmpty }.joined(separator: ", ")
    return city
  }

  private static func place(
    _ name: String, _ level: Place.Level, in country: String, _ code: String, _ latitude: Double, _ longitude: Double
  ) -> Place {
    guard let point = Coordinate(latitude: latitude, longitude: longitude) else { fatalError("\(name): invalid point") }
    return Place(
      coordinate: point, level: level, match: .exact, confidence: 0.9, label: name, name: name, region: "",
      country: country, countryCode: code)
  }
}
