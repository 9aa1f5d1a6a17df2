/// The API of a geocoding service.
package enum Provider: String, Sendable, CaseIterable {
  case nominatim, photon, pelias

  /// Attribution that the data's licence requires, for responses without one.
  var attribution: String {
    switch self {
    case .nominatim, .photon: "© OpenStreetMap contributors, ODbL 1.0, https://www.openstreetmap.org/copyright"
    case .pelias: "Pelias, https://pelias.io"
    }
  }
}
