import Store

/// An error of a PostgreSQL server, or of the connection to it.
struct PostgresError: Error, CustomStringConvertible {
  /// The meaning of an error for the transaction in which it occurred.
  enum Meaning: Sendable, Equatable {
    /// The outcome of the transaction is unknown, or the server asks for a repetition. Repeat the identical transaction
    /// on this connection if it is still usable, else on a new one.
    case repeatable
    /// The fence refused the transaction, because another ingest leads. Nothing was stored.
    case deposed
    /// The server's disk is full. Nothing was stored.
    case full
    /// The server reports damage, or an error of its disk. Do not write again before an operator has acted.
    case damaged
    /// A running statement exceeded its timeout.
    case timedOut
    /// The database is not the store's, or the role lacks rights. Nothing was stored.
    case misconfigured
    /// The statement or its values are wrong. Nothing was stored.
    case refused
  }

  /// SQLSTATE of the server's error. Nil for an error of the connection.
  let state: String?
  let message: String
  /// True if a table has changed since the connection prepared the statement. Nothing was executed.
  var isStalePlan = false

  /// Creates the error of a connection that is lost, silent or closed.
  static func connection(_ message: String) -> PostgresError { PostgresError(state: nil, message: message) }

  /// The meaning of the error. Source of the codes: PostgreSQL documentation, appendix A.
  var meaning: Meaning {
    guard let state, !isStalePlan else { return .repeatable }
    switch state {
    // The fence divides by zero if the term is over.
    case "22012": return .deposed
    case "53100": return .full
    case "58030", "XX001", "XX002": return .damaged
    case "57014": return .timedOut
    // Serialization failure, deadlock, lock timeout, a server that has become a standby, too many connections, an idle
    // transaction that the server has ended, and prepared statements that a session has lost or has already.
    case "40001", "40P01", "55P03", "25006", "53300", "25P03", "26000", "42P05": return .repeatable
    // The tables are missing, or the role may not use them.
    case _ where state.hasPrefix("42"): return .misconfigured
    default: return state.hasPrefix("08") || state.hasPrefix("57P") ? .repeatable : .refused
    }
  }

  /// True if the connection must be replaced. A former primary answers queries and refuses every write (25006).
  var endsConnection: Bool {
    guard let state else { return true }
    let codes: Set = ["25006", "25P03", "26000", "42P05", "53300"]
    return isStalePlan || state.hasPrefix("08") || state.hasPrefix("57P") || codes.contains(state)
  }

  /// Advice for the operator if the role lacks a right, such as the right to create tables. Empty for other errors.
  fileprivate var remedy: String {
    guard state == "42501" else { return "" }
    return ". Make the role the owner of the database, or run onthemap doctor --store"
  }

  var description: String { state.map { "\(message) (SQLSTATE \($0))" } ?? message }
}

extension StoreError {
  /// Converts an error of a write that stored nothing, or whose outcome is unknown.
  init(write error: any Error) {
    guard let error = error as? PostgresError else {
      self = (error as? StoreError) ?? .unknownOutcome("\(error)")
      return
    }
    self = error.meaning == .full ? .full : .unknownOutcome(error.description)
  }

  /// Converts an error of a read.
  init(read error: any Error) {
    guard let error = error as? PostgresError else {
      self = (error as? StoreError) ?? .unavailable("\(error)")
      return
    }
    self =
      switch error.meaning {
      case .timedOut: .scanEnded
      case .misconfigured: .unusable(path: "the database", reason: error.description + error.remedy)
      default: .unavailable(error.description)
      }
  }
}
