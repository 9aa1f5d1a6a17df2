import Domain
import Foundation

/// A provider's answer, read.
enum ProviderResponse {
  /// Best first; empty when the provider knows no place by the text.
  ///
  /// - Throws: `ProviderFailure.malformed` for what is not an answer of this provider.
  static func places(
    in body: Data, of provider: Provider, limit: Int, country: String?
  ) throws(ProviderFailure) -> [Place] {
    // RFC 8259: JSON is UTF-8, whatever a header says. Names in another encoding would be wrong ones.
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
    // A list of things of which none can be read is no answer, and must not be kept as "nothing is known".
    guard !found.places.isEmpty || found.count == 0 else { throw .malformed }
    // Not every server knows the parameter that asks for it.
    let wanted = found.places.filter { country == nil || $0.countryCode.isEmpty || $0.countryCode == country }
    return Array(wanted.prefix(limit))
  }
}

/// What the providers' answers have in common.
struct RemotePlace {
  var latitude: Double
  var longitude: Double
  var level: Place.Level
  var isFallback = false
  /// 0 … 1; nil where the provider says nothing like it.
  var confidence: Double?
  var label: String
  var name: String
  var region: String?
  var county: String?
  var postcode: String?
  var country: String?
  var countryCode: String
  /// South, west, north, east.
  var box: [Double]?
  var attribution: String?

  /// Nil when it has no label, or is not on the earth.
  func place(of provider: Provider) -> Place? {
    let label = RemotePlace.line(label)
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude), !label.isEmpty else { return nil }
    // Asked for is what the gazetteer cannot answer: a street or a house. Anything wider is less than that.
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

  /// Texts of others, that people will read: one line, of a length that the job link takes.
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
