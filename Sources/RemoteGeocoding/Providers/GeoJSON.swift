/// A GeoJSON feature collection of points (RFC 7946) with one provider's properties.
struct GeoJSON<Properties: Decodable>: Decodable {
  struct Feature: Decodable {
    struct Geometry: Decodable {
      let coordinates: [LooseNumber]
    }

    let geometry: Geometry
    let properties: Properties
    let bbox: [LooseNumber]?

    /// The feature's point. GeoJSON writes longitude first.
    var point: (latitude: Double, longitude: Double)? {
      geometry.coordinates.count >= 2 ? (geometry.coordinates[1].value, geometry.coordinates[0].value) : nil
    }
  }

  let features: [LenientElement<Feature>]
}
