package import Domain
import Foundation
import GRDB
package import Store

extension SQLiteDatabase: AccountStore {
  package func addAccount(
    _ registration: Registration, passwordHash: String, unixMs: Int64
  ) async throws -> Account {
    let account = try await write { [numbers = committer.engine.numbers] db in
      try Account.insert(
        email: registration.email, password: passwordHash, firstName: registration.firstName,
        lastName: registration.lastName, isEmailConfirmed: registration.isEmailConfirmed, unixMs: unixMs, numbers, db)
    }
    guard let account else { throw EmailTaken() }
    return account
  }

  package func account(_ id: AccountID) async throws -> Account? {
    try await pool.read { db in try Account.find(id, db) }
  }

  package func accountID(email: String) async throws -> AccountID? {
    try await pool.read { db in
      try Int64.fetchOne(
        db, sql: "SELECT id FROM account WHERE email = ? AND closed_ms IS NULL", arguments: [email]
      ).map { AccountID(rawValue: $0) }
    }
  }

  package func accountOnMap(_ id: AccountID) async throws -> Account? {
    try await pool.read { db in
      let isOnMap = try Bool.fetchOne(
        db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM post WHERE account = ? AND seq IS NOT NULL)"),
        arguments: [id.rawValue])
      return isOnMap == true ? try Account.find(id, db) : nil
    }
  }

  package func credentials(email: String) async throws -> (account: Account, passwordHash: String)? {
    try await pool.read { db in
      try Row.fetchOne(db, sql: "SELECT * FROM account WHERE email = ? AND disabled_ms IS NULL", arguments: [email]).map
      {
        (Account($0), $0["password"])
      }
    }
  }

  package func setPassword(
    of account: AccountID, _ hash: String, from before: String?, ending: RevokedAccess
  ) async throws -> Bool {
    try await write { db in
      if let before {
        try db.execute(
          sql: "UPDATE account SET password = ? WHERE id = ? AND password = ? AND closed_ms IS NULL",
          arguments: [hash, account.rawValue, before])
      } else {
        try db.execute(
          sql: "UPDATE account SET password = ? WHERE id = ? AND closed_ms IS NULL",
          arguments: [hash, account.rawValue])
      }
      guard db.changesCount == 1 else { return false }
      for table in ending.tables {
        try db.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [account.rawValue])
      }
      if !ending.tables.isEmpty { try MailToken.remove(.recovery, of: account, db) }
      return true
    } reporting: {
      $0 ? .account(account) : nil
    }
  }
}

extension RevokedAccess {
  fileprivate var tables: [String] {
    switch self {
    case .none: []
    case .sessions: ["session"]
    case .sessionsAndIdentities: ["session", "identity"]
    }
  }
}

extension Account {
  init(_ row: Row) {
    self.init(
      id: AccountID(rawValue: row["id"]), email: row["email"], firstName: row["first_name"],
      lastName: row["last_name"], createdMs: row["created_ms"], hasPassword: row["password"] as String != "",
      isOperator: row["is_operator"], isEmailConfirmed: row["email_confirmed"])
  }

  /// Adds an account. Nil if another account has the email address. The next account id then stays free. A conflict of
  /// a plain INSERT would use the id up.
  ///
  /// - Parameter password: Hash of the password, or empty for none.
  static func insert(
    email: String, password: String, firstName: String, lastName: String, isEmailConfirmed: Bool, unixMs: Int64,
    _ numbers: SequenceAllocator, _ db: Database
  ) throws -> Account? {
    let row = try Row.fetchOne(
      db,
      sql: """
        INSERT INTO account (email, password, first_name, last_name, created_ms, email_confirmed)
        SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (SELECT 1 FROM account WHERE email = ?1) RETURNING *
        """, arguments: [email, password, firstName, lastName, unixMs, isEmailConfirmed])
    guard let account = row.map(Account.init) else { return nil }
    numbers.recordAccount(account.id.rawValue)
    return account
  }
}
