/// One line of the list that everybody sees. It never changes: a change of its post makes another one. A class, because
/// lists of a hundred are copied with every change, and a struct's six references would be counted for each line.
package final class FeedEntry: Sendable, Hashable {
  package let id: PostID
  /// The post's place in the order of changes: the list is newest first by it, and it is the post's version.
  package let seq: UInt64
  package let account: AccountID
  package let firstName: String
  package let lastName: String
  /// As typed.
  package let place: String
  /// The place found, "Seattle, Washington, United States".
  package let label: String
  /// ISO 3166-1 alpha-2, or empty.
  package let countryCode: String
  package let link: String
  package let coordinate: Coordinate
  package let agreement: Verdict.Agreement
  /// Milliseconds since 1970, UTC.
  package let createdMs: Int64
  /// Milliseconds since 1970, UTC.
  package let updatedMs: Int64
  /// Of the request that the post came with; nil too after a restart, and in lists. No part of the line: two that
  /// differ in it are the same.
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

  /// The same line with its trace.
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
  package var description: String { hexadecimal(bytes) }
}
