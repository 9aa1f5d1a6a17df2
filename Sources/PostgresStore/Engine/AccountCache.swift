import Domain

/// Cache of the accounts that post, so that acceptances and settlements need not read them. Only the writer uses it.
struct AccountCache {
  struct Entry {
    let firstName: String
    let lastName: String
    let isClosed: Bool
  }

  private var entries: [AccountID: Entry] = [:]

  subscript(account: AccountID) -> Entry? {
    get { entries[account] }
    set { entries[account] = newValue }
  }

  /// Empties the cache after a failed group, because an entry may not be durable.
  mutating func forget() { entries.removeAll(keepingCapacity: true) }

  static let select = Statement(
    "account_names", "SELECT id, first_name, last_name, closed_ms IS NOT NULL FROM account WHERE id = ANY($1::int8[])")

  /// Reads the accounts that the cache lacks. Call this within a transaction.
  mutating func load(_ accounts: Set<AccountID>, _ connection: PostgresConnection) throws {
    var missing = accounts.filter { entries[$0] == nil }
    guard !missing.isEmpty else { return }
    if entries.count + missing.count > Limits.namesCachedMax {
      forget()
      missing = accounts
    }
    let rows = try connection.query(AccountCache.select, .int8s(missing.map(\.rawValue)))
    for index in 0..<rows.count {
      let row = rows[index]
      self[AccountID(rawValue: row.int(0))] = Entry(
        firstName: row.text(1), lastName: row.text(2), isClosed: row.bool(3))
    }
  }
}
