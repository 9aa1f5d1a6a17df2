/// A table of the rows that one store hands over to another store.
///
/// The form belongs to neither store. A post, its key, its outcome and its failures are rows of different tables.
/// Tokens in mails have no table here: they expire within a day, and a user requests another mail.
package enum CopyTable: String, CaseIterable, Sendable {
  case account
  case session
  case identity
  case loginCount = "login_count"
  case pause
  case post
  case postKey = "post_key"
  case outcome
  case attempt
  case postEvent = "post_event"

  /// A column of a table.
  package struct Column: Sendable {
    /// Type of the values in a column. A boolean is the integer 0 or 1.
    package enum Kind: Sendable {
      case integer
      case boolean
      case text
      case bytes
    }

    package let name: String
    package let kind: Kind
  }

  /// Columns, in the order of a row's values. The first `keyCount` of them identify a row.
  package var columns: [Column] {
    switch self {
    case .account:
      Column.all(
        (.integer, ["id"]), (.text, ["email", "password", "first_name", "last_name"]),
        (.integer, ["created_ms", "disabled_ms", "closed_ms"]), (.boolean, ["is_operator", "email_confirmed"]))
    case .session:
      Column.all(
        (.bytes, ["token_hash"]), (.integer, ["account", "created_ms", "expires_ms"]), (.text, ["address", "agent"]))
    case .identity: Column.all((.text, ["issuer", "subject"]), (.integer, ["account", "created_ms"]))
    case .loginCount: Column.all((.integer, ["scope"]), (.bytes, ["digest"]), (.integer, ["tries", "last_ms"]))
    case .pause: Column.all((.integer, ["one", "since_ms"]))
    case .post:
      Column.all(
        (.integer, ["id", "account"]), (.text, ["place", "link", "link_text"]),
        (.integer, ["lat_e7", "lon_e7", "created_ms"]), (.text, ["traceparent"]))
    case .postKey:
      Column.all((.integer, ["account"]), (.text, ["key"]), (.bytes, ["request_hash"]), (.integer, ["post"]))
    case .outcome:
      Column.all(
        (.integer, ["id", "state", "lat_e7", "lon_e7"]), (.text, ["label", "country"]),
        (.integer, ["agreement", "place_match"]), (.text, ["reason_code", "reason"]), (.integer, ["seq", "updated_ms"]))
    case .attempt: Column.all((.integer, ["id", "attempts", "lease_losses", "due_ms", "queued_ms"]))
    case .postEvent: Column.all((.integer, ["id", "post", "at_ms", "kind"]), (.text, ["code", "detail"]))
    }
  }

  /// Number of columns that identify a row.
  package var keyCount: Int {
    switch self {
    case .identity, .loginCount, .postKey: 2
    default: 1
    }
  }

  /// Columns that identify a row. Rows are handed over in their ascending order.
  package var key: ArraySlice<Column> { columns.prefix(keyCount) }

  /// Returns the values of a row that identify it.
  package func key(of row: [CopyValue]) -> [CopyValue] { Array(row.prefix(keyCount)) }
}

extension CopyTable.Column {
  /// Returns columns from groups of the same kind.
  fileprivate static func all(_ groups: (kind: Kind, names: [String])...) -> [CopyTable.Column] {
    groups.flatMap { group in group.names.map { CopyTable.Column(name: $0, kind: group.kind) } }
  }
}
