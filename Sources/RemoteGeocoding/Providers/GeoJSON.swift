/// A GeoJSON feature collection, RFC 7946, of points with properties of one provider.
struct GeoJSON<Properties: Decodable>: Decodable {
  struct Feature: Decodable {
    struct Geometry: Decodable {
      let coordinates: [LooseNumber]
    }

    let geometry: Geometry
    let properties: Properties
    let bbox: [LooseNumber]?

    /// Longitude first.
    var point: (latitude: Double, longitude: Double)? {
      geometry.coordinates.count >= 2 ? (geometry.coordinates[1].value, geometry.coordinates[0].value) : nil
    }
  }

  let features: [LenientElement<Feature>]
}
