import Domain
import Foundation

/// Properties of a feature in Pelias' `/v1/search`. A feature's own `bbox` is west, south, east, north. Country codes
/// have three letters.
struct PeliasResponse: Decodable {
  private struct Envelope: Decodable {
    struct Geocoding: Decodable {
      let attribution: String?
    }

    let geocoding: Geocoding?
  }

  private let layer: String?
  private let name: String?
  private let label: String
  private let confidence: Double?
  private let matchType: String?
  private let postalcode: String?
  private let country: String?
  private let countryCode: String?
  private let countryA: String?
  private let region: String?
  private let macroregion: String?
  private let county: String?

  /// Returns the places, and the number of features in the collection.
  static func places(in body: Data) throws -> (places: [Place], count: Int) {
    let all = try JSONDecoder.ofProviders.decode(GeoJSON<PeliasResponse>.self, from: body).features
    let attribution = try JSONDecoder.ofProviders.decode(Envelope.self, from: body).geocoding?.attribution
    let places = all.compactMap { readable -> Place? in
      guard let feature = readable.element, let point = feature.point else { return nil }
      var found = feature.properties.found(at: point)
      found.box = feature.bbox.map { $0.map(\.value) }.flatMap { $0.count == 4 ? [$0[1], $0[0], $0[3], $0[2]] : nil }
      found.attribution = attribution
      return found.place(of: .pelias)
    }
    return (places, all.count)
  }

  private func found(at point: (latitude: Double, longitude: Double)) -> RemotePlace {
    let code = CountryCode.alpha2(countryCode)
    return RemotePlace(
      latitude: point.latitude, longitude: point.longitude, level: level, isFallback: matchType == "fallback",
      confidence: confidence, label: label, name: name ?? "", region: region ?? macroregion, county: county,
      postcode: postalcode, country: country, countryCode: code.isEmpty ? CountryCode.alpha2(countryA) : code)
  }

  private var level: Place.Level {
    switch layer {
    case "venue", "address": .house
    case "street", "intersection": .street
    case "postalcode": .postcode
    case "county", "macrocounty": .county
    case "region", "macroregion": .region
    case "country", "dependency", "empire": .country
    default: .city
    }
  }
}
