import Domain
import Store

extension PostID {
  init?(_ column: Int64) { self.init(rawValue: UInt64(bitPattern: column)) }
}

extension Coordinate {
  init?(_ latitudeE7: Int32?, _ longitudeE7: Int32?) {
    guard let latitudeE7, let longitudeE7 else { return nil }
    self.init(latitudeE7: latitudeE7, longitudeE7: longitudeE7)
  }
}

extension Post {
  /// Columns of a post, in the order of `init`.
  static let columns = """
    post.id, post.account, place, link, link_text, coalesce(state, 0), coalesce(outcome.lat_e7, post.lat_e7),
    coalesce(outcome.lon_e7, post.lon_e7), label, country, agreement, place_match, reason_code, reason, seq,
    post.created_ms, coalesce(updated_ms, queued_ms, post.created_ms), traceparent, coalesce(attempts, 0),
    coalesce(lease_losses, 0), coalesce(due_ms, 0)
    """

  /// Tables of `columns`.
  static let tables = """
    post LEFT JOIN outcome ON outcome.id = post.id LEFT JOIN attempt ON attempt.id = post.id
    """

  /// Decodes a row of `columns`. Throws if it is invalid.
  init(_ row: Row) throws {
    guard let id = PostID(row.int(0)), let state = row.integer(5, as: UInt8.self).flatMap(State.init) else {
      throw StoreError.unusable(path: "post", reason: "a row of the table cannot be read: \(row.int(0))")
    }
    let coordinate = Coordinate(row.integer(6, as: Int32.self), row.integer(7, as: Int32.self))
    var outcome: Verdict.Published?
    if state == .published, let coordinate {
      outcome = Verdict.Published(
        coordinate: coordinate, label: row.text(8), countryCode: row.text(9),
        agreement: row.integer(10, as: UInt8.self).flatMap(Verdict.Agreement.init) ?? .notGiven,
        match: row.integer(11, as: UInt8.self).flatMap(Place.Match.init))
    }
    self.init(
      id: id, account: AccountID(rawValue: row.int(1)), place: row.text(2), link: row.text(3), state: state,
      coordinate: coordinate, outcome: outcome,
      reason: row.optionalText(12).map { Verdict.Reason(code: $0, detail: row.text(13)) },
      seq: row.integer(14, as: UInt64.self), createdMs: row.int(15), updatedMs: row.int(16))
    linkText = row.optionalText(4)
  }
}

extension QueueEntry {
  /// Decodes a row of `Post.columns`. Throws if it is invalid.
  init(_ row: Row) throws {
    let post = try Post(row)
    guard let state = QueueState(post.state) else {
      throw StoreError.unusable(path: "post", reason: "post \(post.id) is deleted")
    }
    self.init(
      id: post.id, state: state, account: post.account, place: post.place, link: post.link,
      attempts: Int(row.int(18)), leaseLosses: Int(row.int(19)), reason: post.reason,
      label: post.outcome?.label ?? "", createdMs: post.createdMs, updatedMs: post.updatedMs)
    trace = row.optionalText(17).flatMap { TraceContext($0) }
  }
}

extension FeedEntry {
  /// Columns of an entry, in the order of `init`.
  static let columns = """
    post.id, seq, post.account, first_name, last_name, place, label, country, link, outcome.lat_e7, outcome.lon_e7,
    agreement, post.created_ms, updated_ms, link_text
    """

  /// Tables of `columns`.
  static let tables = "outcome \(joins)"

  /// Tables of `columns` behind `outcome`.
  static let joins = "JOIN post ON post.id = outcome.id JOIN account ON account.id = post.account"

  /// Decodes a row of `columns`. Nil for a row that is not a published post.
  convenience init?(_ row: Row) {
    guard let id = PostID(row.int(0)), let seq = row.integer(1, as: UInt64.self),
      let coordinate = Coordinate(row.integer(9, as: Int32.self), row.integer(10, as: Int32.self))
    else { return nil }
    self.init(
      id: id, seq: seq, account: AccountID(rawValue: row.int(2)), firstName: row.text(3), lastName: row.text(4),
      place: row.text(5), label: row.text(6), countryCode: row.text(7), link: row.text(8), coordinate: coordinate,
      agreement: row.integer(11, as: UInt8.self).flatMap(Verdict.Agreement.init) ?? .notGiven, createdMs: row.int(12),
      updatedMs: row.int(13))
  }
}
