import Domain
import HTTPTypes
import Store
import Web

extension Idempotency {
  /// Combines a key with the hash of its request.
  ///
  /// - Throws: `Problem` for an invalid key.
  init(key: String, of submission: Submission) throws(Problem) {
    self.init(key: try Self.checked(key), requestHash: submission.hash)
  }

  /// Returns the key if its form is valid. The store checks for an earlier use when it writes the post.
  ///
  /// - Throws: `Problem` with status 400.
  static func checked(_ key: String) throws(Problem) -> String {
    guard (1...Limits.idempotencyKeyBytesMax).contains(key.utf8.count), key.isSafeLine else {
      throw Problem(
        .badRequest, "invalid_idempotency_key",
        "Idempotency-Key must have 1 to \(Limits.idempotencyKeyBytesMax) bytes and no control characters")
    }
    return key
  }
}

extension Submission {
  /// Validates a post of a producer or a gateway.
  ///
  /// - Throws: `Problem` for an invalid post.
  init(_ post: SubmittedPost) throws(Problem) {
    do {
      try self.init(place: post.place, link: post.link, latitude: post.latitude, longitude: post.longitude)
    } catch { throw Problem(error) }
    trace = post.trace
  }

  /// Hash of place, link and coordinate, which is equal for equal submissions.
  fileprivate var hash: [UInt8] {
    let point = coordinate.map { "\($0.latitudeE7) \($0.longitudeE7)" } ?? ""
    return Secrets.hash([place, linkText ?? link, point].joined(separator: "\n"))
  }
}
