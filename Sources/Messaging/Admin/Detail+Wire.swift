import Domain
import SwiftProtobuf

extension Onthemap_Jobs_V1_Detail {
  init(_ detail: Place.Detail) {
    county = detail.county.safeLine(bytesMax: Limits.countyBytesMax)
    postcode = detail.postcode.safeLine(bytesMax: Limits.postcodeBytesMax)
    // The matched and unmatched words are as typed, so they may have any character.
    matched = detail.matched.safeLine(bytesMax: Limits.placeBytesMax)
    unmatched = detail.unmatched.safeLine(bytesMax: Limits.placeBytesMax)
    provider = detail.provider.safeLine(bytesMax: Limits.providerBytesMax)
    degraded = detail.isDegraded
    guard let extent = detail.box else { return }
    box = .with {
      ($0.southE7, $0.westE7, $0.northE7, $0.eastE7) = (extent.south, extent.west, extent.north, extent.east)
    }
  }

  /// Returns the detail. Nil if the protocol forbids a field.
  ///
  /// - Parameter attribution: The attribution of all places in the message.
  func detail(attribution: String) -> Place.Detail? {
    let texts = [
      (county, Limits.countyBytesMax), (postcode, Limits.postcodeBytesMax), (matched, Limits.placeBytesMax),
      (unmatched, Limits.placeBytesMax), (provider, Limits.providerBytesMax),
    ]
    guard texts.allSatisfy({ $0.utf8.count <= $1 && $0.isSafeLine }) else { return nil }
    var detail = Place.Detail()
    if hasBox {
      guard
        let extent = BoundingBox(south: box.southE7, west: box.westE7, north: box.northE7, east: box.eastE7)
      else { return nil }
      detail.box = extent
    }
    (detail.county, detail.postcode, detail.provider) = (county, postcode, provider)
    (detail.matched, detail.unmatched, detail.isDegraded) = (matched, unmatched, degraded)
    detail.attribution = attribution
    return detail
  }
}

extension [Onthemap_Jobs_V1_Detail] {
  /// Creates one detail for each place, or no details if no place has one.
  init(_ places: [Place]) {
    let isDetailed = places.contains { $0.detail != nil }
    self = isDetailed ? places.map { Onthemap_Jobs_V1_Detail($0.detail ?? Place.Detail()) } : []
  }
}
