import Domain
import HTTPTypes
import Web

/// The members of a student location that ingest uses. Ingest checks the types of the names, and ignores all other
/// members.
struct CompatPost {
  let place: String?
  let link: String?
  private let latitude: Double?
  private let longitude: Double?

  init(_ body: JSONValue) throws(Problem) {
    guard case .object = body else { throw Problem.parse(107, "invalid JSON") }
    func text(_ name: String) throws(Problem) -> String? {
      guard let value = body[name] else { return nil }
      guard let text = value.string else { throw Problem.mismatch(name, "String", value) }
      return text
    }
    func number(_ name: String) throws(Problem) -> Double? {
      guard let value = body[name] else { return nil }
      guard let number = value.number else { throw Problem.mismatch(name, "Number", value) }
      return number
    }
    for name in ["firstName", "lastName"] { _ = try text(name) }
    (place, link) = (try text("mapString"), try text("mediaURL"))
    (latitude, longitude) = (try number("latitude"), try number("longitude"))
  }

  /// Validates the post.
  ///
  /// - Parameter coordinate: The coordinate for a body without one.
  func submission(place: String, link: String, coordinate: Coordinate?) throws(Problem) -> Submission {
    let isGiven = latitude != nil || longitude != nil
    do {
      return try Submission(
        place: place, link: link, latitude: isGiven ? latitude : coordinate?.latitude,
        longitude: isGiven ? longitude : coordinate?.longitude, allowsAnyLink: true)
    } catch {
      let names = ["place": "the place", "link": "the link"]
      throw Problem.parse(142, "\(names[error.field] ?? error.field) \(error.reason)")
    }
  }
}

extension Problem {
  fileprivate static func mismatch(_ name: String, _ expected: String, _ value: JSONValue) -> Problem {
    parse(
      111, "schema mismatch for StudentLocation.\(name); expected \(expected) but got \(value.typeName)")
  }
}
