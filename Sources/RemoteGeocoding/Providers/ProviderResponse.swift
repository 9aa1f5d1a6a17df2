import Domain
import Foundation

/// Decoder of the providers' responses.
enum ProviderResponse {
  /// Returns the places, best first. Empty if the provider knows no place for the text.
  ///
  /// - Throws: `ProviderFailure.malformed` if the body is not a response of this provider.
  static func places(
    in body: Data, of provider: Provider, limit: Int, country: String?
  ) throws(ProviderFailure) -> [Place] {
    // JSON is UTF-8, whatever a header claims. (RFC 8259.) Another encoding would produce wrong names.
    guard String(validating: body, as: UTF8.self) != nil else { throw .malformed }
    let found: (places: [Place], count: Int)
    do {
      found =
        switch provider {
        case .nominatim: try NominatimResponse.places(in: body)
        case .photon: try PhotonResponse.places(in: body)
        case .pelias: try PeliasResponse.places(in: body)
        }
    } catch { throw .malformed }
    // A list without any readable element is malformed. The cache must not store it as "no place found".
    guard !found.places.isEmpty || found.count == 0 else { throw .malformed }
    // Some servers ignore the parameter for the country.
    let wanted = found.places.filter { country == nil || $0.countryCode.isEmpty || $0.countryCode == country }
    return Array(wanted.prefix(limit))
  }
}

/// The fields that the providers' responses have in common.
struct RemotePlace {
  var latitude: Double
  var longitude: Double
  var level: Place.Level
  var isFallback = false
  /// Confidence from 0 to 1. Nil if the provider reports none.
  var confidence: Double?
  var label: String
  var name: String
  var region: String?
  var county: String?
  var postcode: String?
  var country: String?
  var countryCode: String
  /// South, west, north, east, in degrees.
  var box: [Double]?
  var attribution: String?

  /// Returns the place. Nil if it has no label or no valid coordinate.
  func place(of provider: Provider) -> Place? {
    let label = RemotePlace.line(label)
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude), !label.isEmpty else { return nil }
    // Remote queries ask for a street or a house. Any wider place is only a fallback.
    let isExact = level >= .street && !isFallback
    var place = Place(
      coordinate: coordinate, level: level, match: isExact ? .exact : .fallback,
      confidence: min(max(confidence ?? (isExact ? 0.8 : 0.4), 0), 1), label: label, name: RemotePlace.line(name),
      region: RemotePlace.line(region), country: RemotePlace.line(country), countryCode: countryCode)
    var detail = Place.Detail()
    detail.county = RemotePlace.line(county)
    detail.postcode = RemotePlace.line(postcode)
    detail.box = box.flatMap(RemotePlace.box)
    detail.provider = provider.rawValue
    let attribution = RemotePlace.line(attribution)
    detail.attribution = attribution.isEmpty ? provider.attribution : attribution
    place.detail = detail
    return place
  }

  /// Returns a provider's text as one safe line of at most `RemoteLimits.textBytesMax` bytes.
  private static func line(_ text: String?) -> String {
    (text ?? "").trimmedLine.safeLine(bytesMax: RemoteLimits.textBytesMax).trimmedLine
  }

  private static func box(_ corners: [Double]) -> BoundingBox? {
    guard corners.count == 4, let low = Coordinate(latitude: corners[0], longitude: corners[1]),
      let high = Coordinate(latitude: corners[2], longitude: corners[3])
    else { return nil }
    return BoundingBox(
      south: low.latitudeE7, west: low.longitudeE7, north: high.latitudeE7, east: high.longitudeE7)
  }
}
