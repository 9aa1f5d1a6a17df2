/// Validated content of a post: a place in the user's own words, and a link.
package struct Submission: Sendable, Equatable {
  /// Invalid field and the reason. Do not retry.
  package struct Refusal: Error, Equatable {
    /// Name of the field in the native API.
    package let field: String
    /// Explanation that follows the field's name in a sentence.
    package let reason: String
  }

  /// Place: 1 … `Limits.placeBytesMax` bytes without a flaw by ``VisibleText``.
  package let place: String
  /// Link that a browser may open, as `WebLink` normalises it. Empty if the client's text is not a link.
  package let link: String
  /// Text from a client of the original service, if it differs from `link`. The text is another spelling of the link,
  /// or it is not a link and `link` is empty. The text has no white space at its ends, and never becomes a hyperlink.
  /// Only clients of the original service get the text, because they accept any.
  package let linkText: String?
  /// Coordinates from the client. Nil if the post takes the place's coordinates.
  package let coordinate: Coordinate?
  /// Trace of the request. A repeat of the post may have another trace, because the trace is not part of the content.
  package var trace: TraceContext?

  /// Validates the content.
  ///
  /// - Parameters:
  ///   - link: Web link, or any text with `allowsAnyLink`.
  ///   - latitude: degrees. Give both coordinates or none.
  ///   - longitude: degrees.
  ///   - allowsAnyLink: True to keep a text that is not a link, without white space at its ends. The text must be one
  ///     safe line of at most `Limits.linkBytesMax` bytes.
  package init(
    place: String, link: String, latitude: Double?, longitude: Double?, allowsAnyLink: Bool = false
  ) throws(Refusal) {
    self.place = place.trimmedLine
    guard !self.place.isEmpty else { throw Refusal(field: "place", reason: "is empty; say where you are") }
    guard self.place.utf8.count <= Limits.placeBytesMax else {
      throw Refusal(field: "place", reason: "is longer than \(Limits.placeBytesMax) bytes")
    }
    if let reason = VisibleText(self.place).refusalReason { throw Refusal(field: "place", reason: reason) }
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

  /// Returns the client's spelling of a link, with a scheme. Nil if the spelling equals `link`. `typed` has no white
  /// space at its ends.
  private static func spelling(_ typed: String, of link: String) -> String? {
    // `WebLink` changes the case of letters, or adds a scheme. Only a new scheme makes the link longer.
    let text = link.utf8.count > typed.utf8.count ? "https://" + typed : typed
    return text == link ? nil : text
  }
}
