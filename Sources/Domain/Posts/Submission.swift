/// What somebody posts: where they are in their own words, and a link. A submission that exists is a valid one.
package struct Submission: Sendable, Equatable {
  /// A field that is not right, and why; final, the same submission fails again.
  package struct Refusal: Error, Equatable {
    /// The field's name in the native API.
    package let field: String
    /// Follows the field's name in a sentence.
    package let reason: String
  }

  /// 1 … `Limits.placeBytesMax` bytes without a flaw by ``VisibleText``.
  package let place: String
  /// A link that a browser may open, as `WebLink` makes it; empty if the client's text is no link.
  package let link: String
  /// The text from a client of the original service, if it differs from the link: no link at all, or another spelling.
  /// It has no white space at its ends.
  /// It never becomes a hyperlink: only clients of the original service get it, and they accept any text.
  package let linkText: String?
  /// Given by the client; otherwise the place's point is taken.
  package let coordinate: Coordinate?
  /// Of the request that it came with. No part of what is posted: the same post may come again within another trace.
  package var trace: TraceContext?

  /// - Parameters:
  ///   - link: a web link, unless any text is taken.
  ///   - latitude: degrees, with `longitude` or not at all.
  ///   - longitude: degrees.
  ///   - allowsAnyLink: true keeps what is no link as text, without white space at its ends;
  ///     `Limits.linkBytesMax` and one line hold for that too.
  package init(
    place: String, link: String, latitude: Double?, longitude: Double?, allowsAnyLink: Bool = false
  ) throws(Refusal) {
    self.place = place.trimmedLine
    guard !self.place.isEmpty else { throw Refusal(field: "place", reason: "is empty; say where you are") }
    guard self.place.utf8.count <= Limits.placeBytesMax else {
      throw Refusal(field: "place", reason: "is longer than \(Limits.placeBytesMax) bytes")
    }
    if let complaint = VisibleText(self.place).complaint { throw Refusal(field: "place", reason: complaint) }
    let link = allowsAnyLink ? link.trimmedLine : link
    do {
      self.link = try WebLink(link).text
      linkText = allowsAnyLink ? Submission.spelling(link, of: self.link) : nil
    } catch {
      guard allowsAnyLink, link.utf8.count <= Limits.linkBytesMax, link.isSafeLine else {
        throw Refusal(field: "link", reason: error.reason)
      }
      self.link = ""
      linkText = link
    }
    switch (latitude, longitude) {
    case (nil, nil): coordinate = nil
    case (let latitude?, let longitude?):
      guard Coordinate(latitude: latitude, longitude: 0) != nil else {
        throw Refusal(field: "latitude", reason: "must lie within ±90 degrees")
      }
      guard let point = Coordinate(latitude: latitude, longitude: longitude) else {
        throw Refusal(field: "longitude", reason: "must lie within ±180 degrees")
      }
      coordinate = point
    case (nil, _): throw Refusal(field: "latitude", reason: "is missing; give both coordinates or none")
    case (_, nil): throw Refusal(field: "longitude", reason: "is missing; give both coordinates or none")
    }
  }

  /// Returns the client's link, which has no white space at its ends, with a scheme; nil if that equals `link`.
  private static func spelling(_ given: String, of link: String) -> String? {
    // A link differs from the client's text in the case of letters, or by a scheme.
    let text = link.utf8.count > given.utf8.count ? "https://" + given : given
    return text == link ? nil : text
  }
}
