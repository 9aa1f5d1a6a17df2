import Domain
import Foundation

/// The places for a query, as text for people.
struct GeocodeText {
  /// Maximum number of alternatives if the best place is uncertain and no limit is set.
  static let alternatives = 4

  let places: [Place]
  /// True if all places are shown. If false, alternatives are shown only if the best place is uncertain.
  let showsAll: Bool

  /// A line for each place.
  var lines: [String] {
    guard let best = places.first else { return [] }
    let others = showsAll || best.confidence < Score.confident ? places.dropFirst() : []
    return [line(best)] + others.map { (showsAll ? "" : "or ") + line($0) }
  }

  /// Remarks about the best place.
  var remarks: [String] {
    guard let detail = places.first?.detail else { return [] }
    var remarks: [String] = []
    if !detail.unmatched.isEmpty, !detail.matched.isEmpty {
      remarks.append("matched only \"\(detail.matched)\", not \"\(detail.unmatched)\"")
    }
    if detail.isDegraded { remarks.append("no remote provider was available for streets and houses") }
    return remarks
  }

  private func line(_ place: Place) -> String {
    "\(place.label)  \(place.coordinate.latitude), \(place.coordinate.longitude)  "
      + "(\(place.level.name), \(place.match.name), \(Int((place.confidence * 100).rounded())) %)"
  }
}
