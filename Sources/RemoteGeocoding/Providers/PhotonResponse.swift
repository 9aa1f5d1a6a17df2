import Domain
import Foundation

/// Properties of a feature in Photon's `/api`. `extent` is west, north, east, south. There is no score and no complete
/// label.
struct PhotonResponse: Decodable {
  private let type: String?
  private let osmValue: String?
  private let name: String?
  private let housenumber: String?
  private let street: String?
  private let district: String?
  private let city: String?
  private let county: String?
  private let state: String?
  private let postcode: String?
  private let country: String?
  private let countrycode: String?
  private let extent: [LooseNumber]?

  /// Returns the places, and the number of features in the collection.
  static func places(in body: Data) throws -> (places: [Place], count: Int) {
    let all = try JSONDecoder.ofProviders.decode(GeoJSON<PhotonResponse>.self, from: body).features
    let places = all.compactMap { readable -> Place? in
      guard let feature = readable.element, let point = feature.point else { return nil }
      return feature.properties.found(at: point).place(of: .photon)
    }
    return (places, all.count)
  }

  private func found(at point: (latitude: Double, longitude: Double)) -> RemotePlace {
    let address = [street, housenumber].compactMap { $0 }.joined(separator: " ")
    let own = [name ?? "", address, city ?? "", country ?? ""].first { !$0.isEmpty } ?? ""
    var parts: [String] = []
    for part in [own, address, district, city, state, country].compactMap({ $0 })
    where !part.isEmpty && part != parts.last {
      parts.append(part)
    }
    return RemotePlace(
      latitude: point.latitude, longitude: point.longitude, level: level, label: parts.joined(separator: ", "),
      name: own, region: state, county: county, postcode: postcode, country: country,
      countryCode: CountryCode.alpha2(countrycode), box: box)
  }

  private var box: [Double]? {
    guard let corners = extent?.map(\.value), corners.count == 4 else { return nil }
    return [corners[3], corners[0], corners[1], corners[2]]
  }

  private var level: Place.Level {
    switch type {
    case "house": .house
    case "street": .street
    case "locality", "district", "city": osmValue == "postcode" ? .postcode : .city
    case "county": .county
    case "state": .region
    case "country": .country
    default: housenumber == nil ? .city : .house
    }
  }
}
