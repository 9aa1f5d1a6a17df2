import Domain
import GRDB

/// A deletion on the list of deletions: 24 bytes. The first 8 have a flag, the kind and the time, the next 8 the id.
/// The last 8 are a hash of the others. All numbers are little-endian.
struct DeletionRecord: Sendable, Equatable {
  enum Deletion: Sendable, Equatable {
    case account(AccountID)
    case post(PostID)
  }

  /// Length of a record, in bytes.
  static let length = 24
  /// Length of the file's header, in bytes: "OTMDEL01", the time from which the list is complete, and a hash.
  static let headerLength = 24

  private static let magic = Array("OTMDEL01".utf8)
  private static let isFirstFlag: UInt64 = 1 << 63
  private static let postFlag: UInt64 = 1 << 62
  private static let timeMask: UInt64 = 1 << 56 - 1

  let deletion: Deletion
  /// Time of the deletion, in milliseconds since 1970, UTC.
  let unixMs: Int64
  /// True for the first deletion of a transaction.
  let isFirst: Bool

  init(_ deletion: Deletion, unixMs: Int64, isFirst: Bool) {
    self.deletion = deletion
    self.unixMs = unixMs
    self.isFirst = isFirst
  }

  var bytes: [UInt8] {
    var head = UInt64(max(0, unixMs)) & DeletionRecord.timeMask
    if isFirst { head |= DeletionRecord.isFirstFlag }
    let id: UInt64
    switch deletion {
    case .account(let account): id = UInt64(bitPattern: account.rawValue)
    case .post(let post): (id, head) = (post.rawValue, head | DeletionRecord.postFlag)
    }
    return DeletionRecord.hashed(DeletionRecord.bytes(head) + DeletionRecord.bytes(id))
  }

  /// Decodes a record. Nil for other bytes.
  init?(_ bytes: some RandomAccessCollection<UInt8>) {
    guard DeletionRecord.isHashed(bytes), bytes.count == DeletionRecord.length else { return nil }
    let (head, id) = (DeletionRecord.number(bytes.prefix(8)), DeletionRecord.number(bytes.dropFirst(8).prefix(8)))
    unixMs = Int64(head & DeletionRecord.timeMask)
    isFirst = head & DeletionRecord.isFirstFlag != 0
    guard head & DeletionRecord.postFlag != 0 else {
      deletion = .account(AccountID(rawValue: Int64(bitPattern: id)))
      return
    }
    guard let post = PostID(rawValue: id) else { return nil }
    deletion = .post(post)
  }

  /// Decodes records that follow each other. A damaged one is nil. Ignores an incomplete record at the end.
  static func records(_ bytes: [UInt8]) -> [DeletionRecord?] {
    stride(from: 0, through: bytes.count - length, by: length).map { DeletionRecord(bytes[$0..<$0 + length]) }
  }

  /// Returns the header of a list.
  static func header(beginMs: Int64) -> [UInt8] { hashed(magic + bytes(UInt64(max(0, beginMs)))) }

  /// Returns the time from which a list is complete. Nil for the header of another file.
  static func beginMs(_ header: [UInt8]) -> Int64? {
    guard header.count == headerLength, header.starts(with: magic), isHashed(header) else { return nil }
    return Int64(exactly: number(header[8..<16]))
  }

  /// Returns true if the database does not contradict the deletion: the account or post is deleted, or unknown.
  func isDone(_ db: Database) throws -> Bool {
    let (sql, id) =
      switch deletion {
      case .account(let account): ("SELECT closed_ms IS NOT NULL FROM account WHERE id = ?", account.rawValue)
      case .post(let post): ("SELECT state = 4 FROM post WHERE id = ?", Int64(post.rawValue))
      }
    return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [id]) ?? true
  }

  private static func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

  private static func number(_ bytes: some BidirectionalCollection<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func hashed(_ content: [UInt8]) -> [UInt8] { content + bytes(FNV1a.hash(content)) }

  private static func isHashed(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
    bytes.count > 8 && number(bytes.suffix(8)) == FNV1a.hash(bytes.dropLast(8))
  }
}
