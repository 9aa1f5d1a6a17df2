import CSodium
import Domain

/// Access control for viewing the map.
package enum MapAccess: Sendable {
  case `public`
  /// Only members may see the map. Ingest requires an account, and a feed requires a ticket from ingest. Without
  /// tickets no feed serves the list over HTTP.
  case members(ViewTickets?)

  /// True if only members may see the map.
  package var isMembersOnly: Bool { if case .members = self { true } else { false } }

  /// Tickets of a members-only map. Nil if the map is public or has no tickets.
  package var tickets: ViewTickets? { if case .members(let tickets) = self { tickets } else { nil } }
}

/// Tickets that admit ingest's viewers to a feed for a limited time. A ticket holds its expiry time and a message
/// authentication code: the keyed BLAKE2b hash of that time. Ingest and its feeds share the key. Any thread.
///
/// Logs, dumps and descriptions show three asterisks instead of the key.
package struct ViewTickets: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let key: [UInt8]

  /// Creates tickets with a key that ingest and its feeds share. The text must be hard to guess.
  package init(secret: String) { key = Self.hash(Array(secret.utf8), key: []) }

  /// Creates tickets with a random key, for roles of one process.
  package init() {
    var key = [UInt8](repeating: 0, count: 32)
    randombytes_buf(&key, key.count)
    self.key = key
  }

  /// Three asterisks instead of the key, because logs may show whole configurations.
  package var description: String { "***" }
  /// Three asterisks, as `description`.
  package var debugDescription: String { description }
  /// An empty mirror, so that a dump shows no byte of the key.
  package var customMirror: Mirror { Mirror(self, children: []) }

  /// Returns a new ticket.
  ///
  /// - Parameter endMs: The expiry time, in milliseconds since 1970, UTC.
  package func ticket(endMs: Int64) -> String {
    let hash = Self.hash(Array("\(endMs)".utf8), key: key)
    return "\(endMs).\(hash.base64URL)"
  }

  /// Returns the expiry time of a ticket, in milliseconds since 1970, UTC. Nil if the ticket is invalid or has expired.
  package func end(of ticket: String, unixMs: Int64) -> Int64? {
    guard let endMs = Int64(ticket.prefix { $0 != "." }), endMs > unixMs else { return nil }
    let (received, expected) = (Array(ticket.utf8), Array(self.ticket(endMs: endMs).utf8))
    // The comparison takes the same time, however many bytes match.
    guard received.count == expected.count, sodium_memcmp(received, expected, expected.count) == 0 else { return nil }
    return endMs
  }

  private static func hash(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), key, key.count)
    return hash
  }
}
