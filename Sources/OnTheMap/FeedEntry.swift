/// One line of the list that everybody sees.
package struct FeedEntry: Sendable, Hashable {
  package var id: PostID
  /// The post's place in the order of changes: the list is newest first by it, and it is the post's version.
  package var seq: UInt64
  package var account: AccountID
  package var firstName: String
  package var lastName: String
  /// As typed.
  package var place: String
  /// The place found, "Seattle, Washington, United States".
  package var label: String
  /// ISO 3166-1 alpha-2, or empty.
  package var countryCode: String
  package var link: String
  package var coordinate: Coordinate
  package var agreement: Verdict.Agreement
  /// Milliseconds since 1970, UTC.
  package var createdMs: Int64
  /// Milliseconds since 1970, UTC.
  package var updatedMs: Int64

  package init(
    id: PostID, seq: UInt64, account: AccountID, firstName: String, lastName: String, place: String, label: String,
    countryCode: String, link: String, coordinate: Coordinate, agreement: Verdict.Agreement, createdMs: Int64,
    updatedMs: Int64
  ) {
    self.id = id
    self.seq = seq
    self.account = account
    self.firstName = firstName
    self.lastName = lastName
    self.place = place
    self.label = label
    self.countryCode = countryCode
    self.link = link
    self.coordinate = coordinate
    self.agreement = agreement
    self.createdMs = createdMs
    self.updatedMs = updatedMs
  }
}

/// Which history a sequence number belongs to: 16 random bytes, made with the database.
package struct Epoch: Sendable, Hashable, CustomStringConvertible {
  /// 16 bytes.
  package let bytes: [UInt8]

  /// Nil unless there are 16 bytes.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.bytes = Array(bytes)
  }

  /// 32 hexadecimal digits.
  package var description: String { bytes.map { hexadecimal(UInt64($0), digits: 2) }.joined() }
}

/// Lower-case hexadecimal digits with leading zeros.
package func hexadecimal(_ value: UInt64, digits: Int) -> String {
  let text = String(value, radix: 16)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}
