import Foundation
import PostgresServer

/// The database of a deployment, on the server that is the primary at the moment.
struct FailoverDatabase: Sendable {
  /// All posts, keys and lists of the database.
  struct Content: Sendable {
    let posts: [Ledger.Found]
    /// The id of the post of each idempotency key.
    let postOfKey: [String: String]
    var epoch: String
    /// The latest posts, as services must serve them.
    let list: FeedList
    /// The published posts, by rising sequence number.
    fileprivate let published: [FeedList.Entry]

    /// Returns the hash of the list at a sequence number. Describes a number that no post has.
    ///
    /// Posts are neither edited nor deleted, so each earlier list follows from the posts.
    func stateHash(at seq: UInt64) -> String {
      let end = published.partitionIndex { $0.seq > seq }
      guard seq == 0 || end > 0 && published[end - 1].seq == seq else { return "no post at \(seq)" }
      let entries = Array(published[..<end].suffix(FailoverDatabase.listCount).reversed())
      return FeedList(epoch: epoch, seq: seq, stateHash: "", entries: entries).computedHash
    }
  }

  /// The columns of a post.
  private struct Row: Decodable {
    let id: UInt64
    let place: String
    let link: String
    let firstName: String
    let seq: UInt64?
    let label: String?
    let latitude: Double?
    let longitude: Double?
  }

  private static let listCount = 100

  private let url: String

  /// - Parameters:
  ///   - ports: The ports of all servers.
  ///   - name: The name of the database.
  init(ports: [Int], name: String) {
    let hosts = ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
    url = "postgresql://onthemap@\(hosts)/\(name)?target_session_attrs=read-write"
  }

  /// Runs SQL on the server that accepts writes. Throws if there is none.
  func sql(_ text: String) throws -> String { try PostgresServer.sql(text, at: url) }

  /// The number of posts that are not settled yet.
  func queuedCount() throws -> Int {
    let text = "SELECT count(*) FROM post WHERE NOT EXISTS (SELECT FROM outcome WHERE outcome.id = post.id)"
    return Int(try sql(text)) ?? -1
  }

  /// Reads all posts, keys and lists. Call this when all posts are settled.
  func content() throws -> Content {
    let rows = try lines(
      """
      SELECT json_build_object('id', post.id, 'place', place, 'link', link, 'firstName', first_name, 'seq', seq,
        'label', label, 'latitude', outcome.lat_e7 / 1e7::float8, 'longitude', outcome.lon_e7 / 1e7::float8)
      FROM post JOIN account ON account.id = post.account LEFT JOIN outcome ON outcome.id = post.id ORDER BY post.id
      """
    ).map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
    let published = rows.compactMap(entry).sorted { $0.seq < $1.seq }
    let epoch = try sql("SELECT encode(epoch, 'hex') FROM meta")
    var list = FeedList(
      epoch: epoch, seq: published.last?.seq ?? 0, stateHash: "",
      entries: Array(published.suffix(Self.listCount).reversed()))
    list.stateHash = list.computedHash
    let keys = try lines("SELECT post || ' ' || key FROM post_key").map { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      return (String(parts[1]), Ledger.postID(UInt64(parts[0]) ?? 0))
    }
    return Content(
      posts: rows.map { Ledger.Found(id: Ledger.postID($0.id), place: $0.place, link: $0.link, seq: $0.seq) },
      postOfKey: Dictionary(keys) { "\($0) and \($1)" }, epoch: epoch, list: list, published: published)
  }

  private func lines(_ query: String) throws -> [Substring] { try sql(query).split(separator: "\n") }

  private func entry(_ row: Row) -> FeedList.Entry? {
    guard let seq = row.seq, let latitude = row.latitude, let longitude = row.longitude else { return nil }
    return FeedList.Entry(
      id: Ledger.postID(row.id), seq: seq, firstName: row.firstName, place: row.place, label: row.label ?? "",
      link: row.link, latitude: latitude, longitude: longitude)
  }
}

extension Array {
  /// Returns the index of the first element that belongs to the second part. The elements of the first part come first.
  fileprivate func partitionIndex(_ belongsToSecondPart: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if belongsToSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
