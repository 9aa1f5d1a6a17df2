import Domain
import Store

/// A group of acceptances and verdicts, as one transaction of at most three statements.
///
/// Settlements concern posts of earlier commits, so acceptances and settlements of one group do not depend on each
/// other.
struct BulkGroup {
  private enum Part {
    /// Indices of the write's entries.
    case accept(Range<Int>)
    case settle(Range<Int>)
  }

  private let number: Int64
  private var acceptances: AcceptBatch
  private var settlements: SettleBatch
  private var parts: [Part] = []
  /// The accounts of the group, which the writer forgets after a failed attempt.
  private let accounts: AccountCache
  /// Latest sequence number before the group.
  private let seqBefore: UInt64
  /// Time of the latest write.
  private var unixMs: Int64 = 0

  /// Plans a group. Reads what the caches lack, and assigns ids and sequence numbers.
  ///
  /// - Returns: nil if a write needs the results of earlier statements.
  /// - Throws: `StoreError.noAccount`, `PostgresError`.
  init?(
    _ writes: [PostgresEngine.Write], number: Int64, _ writer: Writer, _ connection: PostgresConnection
  ) throws {
    guard writes.allSatisfy(\.isBulk) else { return nil }
    self.number = number
    seqBefore = writer.numbers.lastSeq
    acceptances = AcceptBatch(number: number)
    settlements = SettleBatch(number: number)
    let contents = try BulkGroup.load(writes, writer, connection)
    accounts = writer.accounts
    for case .post(let write) in writes {
      switch write {
      case .accept(let posts, let account, let capacity, let unixMs):
        self.unixMs = unixMs
        guard let known = accounts[account], !known.isClosed else { throw StoreError.noAccount }
        let start = acceptances.entries.count
        acceptances.add(posts, account, capacity: capacity, earlier: [:], unixMs, &writer.numbers)
        parts.append(.accept(start..<acceptances.entries.count))
      case .settle(let records, let unixMs):
        let start = settlements.records.count
        for record in records { settlements.add(record, contents[record.post], unixMs, &writer.numbers) }
        parts.append(.settle(start..<settlements.records.count))
      default: return nil
      }
    }
  }

  /// Reads the accounts and the posts of the group that are not in memory.
  private static func load(
    _ writes: [PostgresEngine.Write], _ writer: Writer, _ connection: PostgresConnection
  ) throws -> [PostID: PostContent] {
    var accounts: Set<AccountID> = []
    var missing: [PostID] = []
    for case .post(let write) in writes {
      switch write {
      case .accept(_, let account, _, _): accounts.insert(account)
      case .settle(let records, _):
        for record in records {
          if let job = record.job, job.content != nil {
            accounts.insert(job.account)
          } else {
            missing.append(record.post)
          }
        }
      default: break
      }
    }
    guard !missing.isEmpty || accounts.contains(where: { writer.accounts[$0] == nil }) else { return [:] }
    return try connection.transaction(within: .milliseconds(Limits.postgresCommitMs)) { connection in
      let contents = try PostContent.load(missing, connection)
      try writer.accounts.load(accounts.union(contents.values.map(\.account)), connection)
      return contents
    }
  }

  /// The rows that one attempt has stored. A repetition finds the other rows of its group in the tables.
  struct Stored {
    fileprivate let posts: Set<PostID>
    fileprivate let outcomes: Set<PostID>
  }

  /// Attempts the transaction. Durable on return.
  func commit(_ writer: Writer, _ connection: PostgresConnection) throws -> Stored {
    let expiry = writer.keyExpiry.next(posts: acceptances.rowCount, unixMs: unixMs)
    var removedKeys: [Int64] = []
    let (posts, outcomes) = try connection.transaction(within: .milliseconds(Limits.postgresCommitMs)) { connection in
      try connection.send(LeaderRow.fence, [.int8(writer.term)])
      try expiry?.send(connection)
      try acceptances.send(connection)
      try settlements.send(connection)
      try connection.sendCommit()
      _ = try connection.receive()
      removedKeys = try expiry?.receive(connection) ?? []
      return (try acceptances.receive(connection), try settlements.receive(connection))
    }
    if let expiry { writer.keyExpiry.finish(expiry, removed: removedKeys) }
    return Stored(posts: posts, outcomes: outcomes)
  }

  /// Returns the results of a durable attempt. Reads the earlier posts of used keys, and rows of earlier attempts.
  ///
  /// - Parameter isRepetition: True if an earlier attempt may be durable.
  /// - Throws: `PostgresError` of the meaning `.repeatable`, and `WriterStop`.
  func outputs(
    _ stored: Stored, _ writer: Writer, _ connection: PostgresConnection, isRepetition: Bool
  ) throws -> [PostgresEngine.Output] {
    let isPostMissing = stored.posts.count < acceptances.rowCount
    let isOutcomeMissing = isRepetition && stored.outcomes.count < settlements.rowCount
    var earlier = AcceptBatch.EarlierPosts()
    var own: Set<PostID> = []
    if isPostMissing || isOutcomeMissing {
      do {
        (earlier, own) = try connection.transaction(within: .milliseconds(Limits.postgresCommitMs)) { connection in
          (
            try acceptances.earlierPosts(stored: stored.posts, connection),
            isRepetition ? try settlements.ownRows(connection) : []
          )
        }
      } catch {
        // The group is durable. Another attempt finds its rows.
        throw PostgresError.connection("cannot read the results of a commit: \(error)")
      }
    }
    let accepted: (acceptances: [Acceptance], highestID: UInt64)
    do {
      accepted = try acceptances.results(stored: stored.posts, earlier)
    } catch {
      throw WriterStop(reason: "\(error)")
    }
    let settled = settlements.results(stored: stored.outcomes.union(own), accounts)
    writer.stored.post = accepted.highestID
    writer.stored.seq = settled.highestSeq
    if let post = settled.verdict { writer.stored.verdict = (Int64(post.rawValue), number) }
    writer.numbers.releaseSeqs(above: max(seqBefore, settled.highestSeq))
    return parts.map { part in
      switch part {
      case .accept(let range): .post(.accept(Array(accepted.acceptances[range])))
      case .settle(let range): .post(.settle(settled.result(of: range)))
      }
    }
  }
}

extension PostgresEngine.Write {
  /// True if the write's statements need no earlier results, unless a key was used before.
  var isBulk: Bool {
    guard case .post(let write) = self else { return false }
    return switch write {
    case .accept(let posts, _, let capacity, _): posts.count <= capacity
    case .settle(let records, _): records.allSatisfy(\.isVerdict)
    default: false
    }
  }
}

extension SettlementRecord {
  var isVerdict: Bool { if case .verdict = settlement { true } else { false } }

  var publishes: Bool { if case .verdict(.published) = settlement { true } else { false } }
}
