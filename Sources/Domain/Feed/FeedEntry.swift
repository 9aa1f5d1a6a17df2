/// An immutable entry of the public list. A change of its post makes another entry. The type is a class, because each
/// change copies a list of a hundred entries. Each copy of a struct would count six references per entry.
package final class FeedEntry: Sendable, Hashable {
  package let id: PostID
  /// Sequence number of the post's latest change. This number orders the list, newest first, and is the post's version.
  package let seq: UInt64
  package let account: AccountID
  package let firstName: String
  package let lastName: String
  /// Place as typed.
  package let place: String
  /// Label of the place found, for example "Seattle, Washington, United States".
  package let label: String
  /// Country code in ISO 3166-1 alpha-2, or empty.
  package let countryCode: String
  package let link: String
  package let coordinate: Coordinate
  package let agreement: Verdict.Agreement
  /// Time at which the post was accepted, in milliseconds since 1970, UTC.
  package let createdMs: Int64
  /// Time of the last change, in milliseconds since 1970, UTC.
  package let updatedMs: Int64
  /// Trace of the request that submitted the post. Nil after a restart, and in lists. Equality ignores the trace.
  package let trace: TraceContext?

  package init(
    id: PostID, seq: UInt64, account: AccountID, firstName: String, lastName: String, place: String, label: String,
    countryCode: String, link: String, coordinate: Coordinate, agreement: Verdict.Agreement, createdMs: Int64,
    updatedMs: Int64, trace: TraceContext? = nil
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
    self.trace = trace
  }

  /// Returns the same entry with its trace.
  package func traced(_ trace: TraceContext?) -> FeedEntry {
    FeedEntry(
      id: id, seq: seq, account: account, firstName: firstName, lastName: lastName, place: place, label: label,
      countryCode: countryCode, link: link, coordinate: coordinate, agreement: agreement, createdMs: createdMs,
      updatedMs: updatedMs, trace: trace)
  }

  package static func == (a: FeedEntry, b: FeedEntry) -> Bool {
    a === b
      || a.id == b.id && a.seq == b.seq && a.account == b.account && a.firstName == b.firstName
        && a.lastName == b.lastName && a.place == b.place && a.label == b.label && a.countryCode == b.countryCode
        && a.link == b.link && a.coordinate == b.coordinate && a.agreement == b.agreement
        && a.createdMs == b.createdMs && a.updatedMs == b.updatedMs
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(seq)
  }
}

/// Identity of a history of sequence numbers: 16 random bytes, created with the database.
package struct Epoch: Sendable, Hashable, CustomStringConvertible {
  /// The 16 bytes of the epoch.
  package let bytes: [UInt8]

  /// Returns nil unless there are 16 bytes.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.bytes = Array(bytes)
  }

  /// The epoch as 32 hexadecimal digits.
  package var description: String { hexadecimal(bytes) }
}
