import Domain
import Foundation

/// A look-up's answer as people read it.
struct GeocodeText {
  /// Alternatives that are shown where the answer is not clear, and nobody has said how many.
  static let alternatives = 4

  let places: [Place]
  /// Whether all are to be shown, or alternatives only where the best answer is not clear.
  let showsAll: Bool

  /// One line for each place.
  var lines: [String] {
    guard let best = places.first else { return [] }
    let others = showsAll || best.confidence < Score.confident ? places.dropFirst() : []
    return [line(best)] + others.map { (showsAll ? "" : "or ") + line($0) }
  }

  /// What people should know about the best answer, beside the answer itself.
  var remarks: [String] {
    guard let detail = places.first?.detail else { return [] }
    var remarks: [String] = []
    if !detail.unmatched.isEmpty, !detail.matched.isEmpty {
      remarks.append("Only \"\(detail.matched)\" was understood; \"\(detail.unmatched)\" was not.")
    }
    if detail.isDegraded { remarks.append("A provider that knows streets could not be asked.") }
    return remarks
  }

  private func line(_ place: Place) -> String {
    "\(place.label)  \(place.coordinate.latitude), \(place.coordinate.longitude)  "
      + "(\(place.level.word), \(place.match.word), \(Int((place.confidence * 100).rounded())) %)"
  }
}
