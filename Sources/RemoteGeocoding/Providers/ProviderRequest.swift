import Domain
import Foundation
import HTTPClient

/// An HTTP request to a provider. Never log its URL, which contains the user's text and the key.
struct ProviderRequest {
  let url: URL

  /// Creates the request. Returns nil for queries that never go to a provider: points, and autocompletion, which public
  /// servers forbid.
  init?(_ query: PlaceQuery, of configuration: RemoteConfiguration) {
    guard query.kind == .forward else { return nil }
    let parameters =
      switch configuration.provider {
      case .nominatim: ProviderRequest.nominatim(query)
      case .photon: ProviderRequest.photon(query)
      case .pelias: ProviderRequest.pelias(query, key: configuration.key.text)
      }
    let path =
      switch configuration.provider {
      case .nominatim: "/search"
      case .photon: "/api"
      case .pelias: "/v1/search"
      }
    let text = FormText.text(parameters)
    guard let url = URL(string: "\(configuration.base.absoluteString)\(path)?\(text)") else { return nil }
    self.url = url
  }

  private typealias Parameter = (name: String, value: String)

  private static func nominatim(_ query: PlaceQuery) -> [Parameter] {
    var all: [Parameter] = [
      ("q", query.text), ("format", "jsonv2"), ("addressdetails", "1"), ("limit", "\(query.limit)"),
      ("accept-language", query.language ?? "en"),
    ]
    if let country = query.country { all.append(("countrycodes", country.lowercased())) }
    return all
  }

  private static func photon(_ query: PlaceQuery) -> [Parameter] {
    var all: [Parameter] = [("q", query.text), ("limit", "\(query.limit)")]
    // Photon refuses any other language. Without one, names are in the country's own language.
    let language = query.language ?? "en"
    if ["en", "de", "fr"].contains(language) { all.append(("lang", language)) }
    if let focus = query.focus { all += [("lat", "\(focus.latitude)"), ("lon", "\(focus.longitude)")] }
    if let country = query.country { all.append(("countrycode", country)) }
    return all
  }

  private static func pelias(_ query: PlaceQuery, key: String) -> [Parameter] {
    var all: [Parameter] = [("text", query.text), ("size", "\(query.limit)"), ("lang", query.language ?? "en")]
    if let focus = query.focus {
      all += [("focus.point.lat", "\(focus.latitude)"), ("focus.point.lon", "\(focus.longitude)")]
    }
    if let country = query.country { all.append(("boundary.country", country)) }
    if !key.isEmpty { all.append(("api_key", key)) }
    return all
  }
}
