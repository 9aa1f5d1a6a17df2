import Foundation
import Synchronization
import Testing

/// A record of every sent post and its response, compared with the store at the end (Jepsen's classes of records).
final class Ledger: Sendable {
  /// The fate of a post.
  enum Class: String, CaseIterable, Sendable {
    /// Accepted, and stored once.
    case ok
    /// Accepted, and not stored.
    case lost
    /// Stored more than once, or published more than once.
    case duplicated
    /// No response, and stored: allowed.
    case unknownPresent
    /// No response, and not stored: allowed.
    case unknownAbsent
    /// Refused, and not stored.
    case refused
    /// Refused, and stored nevertheless.
    case refusedPresent
    /// Stored, and never sent.
    case phantom
    /// Stored with other contents, or under another id than in the response.
    case mangled

    var isFault: Bool { [.lost, .duplicated, .refusedPresent, .phantom, .mangled].contains(self) }
  }

  /// A post as sent.
  struct Sent: Sendable {
    let key: String
    let place: String
    /// Holds the number of the post and the hash of its place.
    let link: String
  }

  /// A post as found in the store.
  struct Found: Sendable {
    let id: String
    let place: String
    let link: String
    /// The sequence number. Nil if the post is not published.
    let seq: UInt64?
  }

  private struct Record: Sendable {
    let sent: Sent
    var acceptedID: String?
    var isRefused = false
    /// An attempt got no response, so the post may be stored.
    var isUnknown = false
  }

  private struct State: Sendable {
    var records: [Record] = []
    /// The sequence numbers under which a subscriber saw each id.
    var published: [String: Set<UInt64>] = [:]
  }

  private let state = Mutex(State())

  private static let places = [
    "Costa Rica", "Seattle, WA", "Paris, TX", "München", "東京", "Nairobi", "Wellington, NZ", "Québec", "Kraków",
    "Lagos", "Reykjavík", "Qwxzzzk Vbbnkl",
  ]

  /// Returns a new post, which is recorded before it is sent.
  func next() -> (number: Int, sent: Sent) {
    state.withLock { state in
      let number = state.records.count
      let place = Ledger.places[number % Ledger.places.count]
      let sent = Sent(key: "fault-\(number)", place: place, link: Ledger.link(number, place))
      state.records.append(Record(sent: sent))
      return (number, sent)
    }
  }

  /// Records that the post was accepted under this id.
  func accept(_ number: Int, id: String) { state.withLock { $0.records[number].acceptedID = id } }

  /// Records that the post was refused and not stored.
  func refuse(_ number: Int) { state.withLock { $0.records[number].isRefused = true } }

  /// Records an attempt that got no response, or a response that leaves the outcome open.
  func markUnknown(_ number: Int) { state.withLock { $0.records[number].isUnknown = true } }

  /// Records that a subscriber saw the post published.
  func publish(_ entry: FeedList.Entry) {
    state.withLock { _ = $0.published[entry.id, default: []].insert(entry.seq) }
  }

  /// The numbers of sent and of accepted posts.
  var counts: (sent: Int, accepted: Int) {
    state.withLock { ($0.records.count, $0.records.count { $0.acceptedID != nil }) }
  }

  /// Waits until `count` further posts are accepted.
  func advance(by count: Int, within limit: Duration = .seconds(120)) async throws {
    let before = counts.accepted
    try await eventually("\(count) more posts are accepted", within: limit) { counts.accepted >= before + count }
  }

  /// Classifies each sent post, and each stored post that was never sent. Returns the counts, and a description of each
  /// fault.
  func classify(_ found: [Found]) -> (counts: [Class: Int], faults: [String]) {
    let (records, published) = state.withLock { ($0.records, $0.published) }
    var counts: [Class: Int] = [:]
    var faults: [String] = []
    func add(_ verdict: Class, _ words: @autoclosure () -> String) {
      counts[verdict, default: 0] += 1
      if verdict.isFault { faults.append("\(verdict): \(words())") }
    }
    var rows: [Int: [Found]] = [:]
    for post in found {
      guard let number = Ledger.number(post.link), records.indices.contains(number) else {
        add(.phantom, "\(post)")
        continue
      }
      rows[number, default: []].append(post)
    }
    var seqs: [UInt64: Int] = [:]
    for post in found { if let seq = post.seq { seqs[seq, default: 0] += 1 } }
    for (number, record) in records.enumerated() {
      let rows = rows[number] ?? []
      add(Ledger.verdict(record, rows, published, seqs), "post \(number) \(record), found \(rows)")
    }
    return (counts, faults)
  }

  private static func verdict(
    _ record: Record, _ rows: [Found], _ published: [String: Set<UInt64>], _ seqs: [UInt64: Int]
  ) -> Class {
    guard let row = rows.first else {
      if record.acceptedID != nil { return .lost }
      return record.isRefused && !record.isUnknown ? .refused : .unknownAbsent
    }
    guard rows.count == 1 else { return .duplicated }
    if row.place != record.sent.place || row.link != record.sent.link { return .mangled }
    if let id = record.acceptedID, id != row.id { return .mangled }
    if let times = published[row.id], times.count > 1 || times.first != row.seq { return .duplicated }
    if let seq = row.seq, seqs[seq, default: 0] > 1 { return .duplicated }
    if record.acceptedID != nil { return .ok }
    return record.isRefused && !record.isUnknown ? .refusedPresent : .unknownPresent
  }

  private static func link(_ number: Int, _ place: String) -> String {
    let hash = place.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return "https://example.org/ledger/\(number)/\(String(hash, radix: 16))"
  }

  private static func number(_ link: String) -> Int? {
    let parts = link.split(separator: "/")
    return parts.count == 5 && parts[2] == "ledger" ? Int(parts[3]) : nil
  }
}

extension Ledger {
  /// Returns the posts in a database that no program has open.
  static func posts(in folder: String) throws -> [Found] {
    try SQL(folder + "/onthemap.sqlite").rows("SELECT id, place, link, seq FROM post ORDER BY id").map { row in
      Found(id: postID(UInt64(row[0]) ?? 0), place: row[1], link: row[2], seq: UInt64(row[3]))
    }
  }

  /// Returns an id in the notation of proto/README.md.
  static func postID(_ number: UInt64) -> String {
    let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    var (rest, text) = (number, "")
    for _ in 0..<10 {
      text = String(digits[Int(rest % 62)]) + text
      rest /= 62
    }
    return text
  }

  /// Returns each row that breaks an invariant of the tables, such as a published post without a sequence number.
  static func violations(in folder: String) throws -> [String] {
    let database = SQL(folder + "/onthemap.sqlite")
    let rules = [
      "integrity": "SELECT * FROM pragma_integrity_check WHERE integrity_check != 'ok'",
      "foreign keys": "SELECT * FROM pragma_foreign_key_check",
      "published without a seq or a place":
        "SELECT id FROM post WHERE state = 1 AND (seq IS NULL OR lat_e7 IS NULL OR label IS NULL)",
      "a seq and not published": "SELECT id FROM post WHERE state != 1 AND seq IS NOT NULL",
      "ended without a reason": "SELECT id FROM post WHERE state IN (2, 3) AND reason_code IS NULL",
      "an unknown state": "SELECT id FROM post WHERE state NOT BETWEEN 0 AND 3",
      "queued and counted dead": "SELECT id FROM post WHERE state = 0 AND (attempts >= 8 OR lease_losses >= 3)",
      "a key without its request": "SELECT id FROM post WHERE (idempotency_key IS NULL) != (request_hash IS NULL)",
    ]
    return try rules.flatMap { rule, query in try database.rows(query).map { "\(rule): \($0)" } }.sorted()
  }
}
