import CSodium
import Domain

/// Who may see the map.
package enum MapAccess: Sendable {
  case open
  /// Who has an account, at ingest; and at a feed who has a ticket, which ingest makes. Without tickets no feed serves
  /// anybody over HTTP.
  case closed(ViewTickets?)

  /// Whether it is not for everybody.
  package var isClosed: Bool { if case .closed = self { true } else { false } }

  /// Nil where there are none, or none are needed.
  package var tickets: ViewTickets? { if case .closed(let tickets) = self { tickets } else { nil } }
}

/// Tickets with which a feed lets in whom ingest has let in, for a while: the time of their end, and BLAKE2b of it with
/// a key that both have. Any thread. Logs, dumps and texts of its holders show three asterisks.
package struct ViewTickets: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let key: [UInt8]

  /// With a key that ingest and its feeds share: a text that nobody guesses.
  package init(secret: String) { key = Self.hash(Array(secret.utf8), key: []) }

  /// With a random key, for roles of one process.
  package init() {
    var key = [UInt8](repeating: 0, count: 32)
    randombytes_buf(&key, key.count)
    self.key = key
  }

  /// `***`: the key makes tickets, and logs show whole configurations.
  package var description: String { "***" }
  /// `***`
  package var debugDescription: String { description }
  /// An empty mirror: a dump shows no byte of the key.
  package var customMirror: Mirror { Mirror(self, children: []) }

  /// A ticket.
  ///
  /// - Parameter endMs: since 1970, UTC.
  package func ticket(endMs: Int64) -> String {
    let hash = Self.hash(Array("\(endMs)".utf8), key: key)
    return "\(endMs).\(hash.base64URL)"
  }

  /// When a ticket ends, in ms since 1970, UTC; nil where it is none, or has ended.
  package func end(of ticket: String, unixMs: Int64) -> Int64? {
    guard let endMs = Int64(ticket.prefix { $0 != "." }), endMs > unixMs else { return nil }
    let (came, right) = (Array(ticket.utf8), Array(self.ticket(endMs: endMs).utf8))
    // In the same time, however much of it is right.
    guard came.count == right.count, sodium_memcmp(came, right, right.count) == 0 else { return nil }
    return endMs
  }

  private static func hash(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), key, key.count)
    return hash
  }
}
