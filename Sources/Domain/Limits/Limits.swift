/// Every limit that users of the system meet. The unit is in the name, the reason in the comment. Each part has a file:
/// `Limits+JobLink`, `Limits+Feed`, `Limits+HTTP` and so on. This file has the limits of a post and of a place.
///
/// Promise 5 of the design: nothing is unbounded.
package enum Limits {
  /// Maximum number of posts on the public list.
  package static let feedEntriesMax = 100
  /// Maximum size of a place as typed, in bytes. A street address in any script fits several times. The gazetteer reads
  /// no more.
  package static let placeBytesMax = 256
  /// Maximum size of a link, in bytes: a size that browsers and intermediaries reliably carry.
  package static let linkBytesMax = 2_048
  /// Maximum size of a first or last name, in bytes.
  package static let nameBytesMax = 100
  /// Maximum size of an e-mail address, in bytes: 64 before the @ and 255 behind it (RFC 5321), rounded down to what
  /// fits a forward-path.
  package static let emailBytesMax = 254
  /// Minimum size of a password, in bytes. NIST SP 800-63B asks for at least 8.
  package static let passwordBytesMin = 8
  /// Maximum size of a password, in bytes. The limit bounds the work of one login, and is well above the 64 characters
  /// that must be allowed.
  package static let passwordBytesMax = 1_024
  /// Maximum size of an Idempotency-Key, in bytes. A UUID fits seven times.
  package static let idempotencyKeyBytesMax = 255
  /// Days for which a repeated request is recognised by its key.
  package static let idempotencyDays: Int64 = 7
  /// Maximum number of places in the result of a lookup.
  package static let candidatesMax = 20
  /// Number of places in the result of a lookup that gives no number.
  package static let candidatesDefault = 5
  /// Maximum number of bytes of a wrong value that an error message repeats.
  package static let quotedTextBytesMax = 64
  /// Maximum size of a second-level region's name, in bytes.
  package static let countyBytesMax = 256
  /// Maximum size of a postcode, in bytes. The longest in use have about ten characters.
  package static let postcodeBytesMax = 32
  /// Maximum size of the name of a lookup's provider, in bytes.
  package static let providerBytesMax = 32
  /// Maximum size of all attributions together, in bytes: texts that the licences of a result's sources require.
  package static let attributionBytesMax = 1_024
}
