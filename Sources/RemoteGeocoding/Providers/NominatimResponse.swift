import Domain
import Foundation

/// An element of the list that Nominatim's `/search?format=jsonv2&addressdetails=1` returns. Numbers are strings, and
/// boxes are south, north, west, east.
struct NominatimResponse: Decodable {
  private let lat: LooseNumber
  private let lon: LooseNumber
  private let addresstype: String?
  private let type: String?
  private let placeRank: LooseNumber?
  private let name: String?
  private let displayName: String
  private let licence: String?
  private let boundingbox: [LooseNumber]?
  private let address: [String: String]?

  private enum CodingKeys: CodingKey {
    case lat, lon, addresstype, type, placeRank, name, displayName, licence, boundingbox, address
  }

  /// Decodes an element. Only the point and the label are required; other members that cannot be decoded are skipped.
  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    lat = try members.decode(LooseNumber.self, forKey: .lat)
    lon = try members.decode(LooseNumber.self, forKey: .lon)
    displayName = try members.decode(String.self, forKey: .displayName)
    addresstype = try? members.decode(String.self, forKey: .addresstype)
    type = try? members.decode(String.self, forKey: .type)
    placeRank = try? members.decode(LooseNumber.self, forKey: .placeRank)
    name = try? members.decode(String.self, forKey: .name)
    licence = try? members.decode(String.self, forKey: .licence)
    boundingbox = try? members.decode([LooseNumber].self, forKey: .boundingbox)
    address = try? members.decode([String: String].self, forKey: .address)
  }

  /// Returns the places, and the number of elements in the list.
  static func places(in body: Data) throws -> (places: [Place], count: Int) {
    let all = try JSONDecoder.ofProviders.decode([LenientElement<NominatimResponse>].self, from: body)
    return (all.compactMap { $0.element?.found.place(of: .nominatim) }, all.count)
  }

  private var found: RemotePlace {
    let street = address?["road"] ?? address?["pedestrian"] ?? ""
    let house = [address?["house_number"] ?? "", street].filter { !$0.isEmpty }.joined(separator: " ")
    let first = displayName.split(separator: ",").first.map(String.init) ?? ""
    return RemotePlace(
      latitude: lat.value, longitude: lon.value, level: level, label: displayName,
      name: [name ?? "", house, first].first { !$0.isEmpty } ?? "",
      region: address?["state"] ?? address?["region"] ?? address?["province"],
      county: address?["county"], postcode: address?["postcode"], country: address?["country"],
      countryCode: CountryCode.alpha2(address?["country_code"]), box: box, attribution: licence)
  }

  private var box: [Double]? {
    guard let corners = boundingbox?.map(\.value), corners.count == 4 else { return nil }
    return [corners[0], corners[2], corners[1], corners[3]]
  }

  private var level: Place.Level {
    if address?["house_number"] != nil { return .house }
    if let known = NominatimResponse.levels[addresstype ?? ""] { return known }
    if let rank = placeRank?.value {
      switch rank {
      case ...4: return .country
      case ...9: return .region
      case ...12: return .county
      case ...25: return .city
      case ...27: return .street
      default: return .house
      }
    }
    return NominatimResponse.levels[type ?? ""] ?? .city
  }

  private static let levels: [String: Place.Level] = [
    "country": .country, "state": .region, "region": .region, "province": .region, "county": .county,
    "state_district": .county, "district": .county, "city": .city, "town": .city, "village": .city,
    "municipality": .city, "hamlet": .city, "suburb": .city, "borough": .city, "quarter": .city,
    "neighbourhood": .city, "city_district": .city, "locality": .city, "postcode": .postcode, "road": .street,
    "street": .street, "house": .house, "building": .house,
  ]
}
