/// A geocoding service by what it speaks.
package enum Provider: String, Sendable, CaseIterable {
  case nominatim, photon, pelias

  /// What its data's licence asks to be shown, where an answer does not say.
  var attribution: String {
    switch self {
    case .nominatim, .photon: "© OpenStreetMap contributors, ODbL 1.0, https://www.openstreetmap.org/copyright"
    case .pelias: "Pelias, https://pelias.io"
    }
  }
}
