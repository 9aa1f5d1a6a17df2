/// Limits that users, clients and operators meet. The name of a limit has its unit, and its comment has its reason.
/// Each part of the system has a file, such as `Limits+JobLink`, `Limits+Feed` and `Limits+HTTP`. This file has the
/// limits of posts, registrations and lookups.
///
/// Guarantee 5 of the design: nothing is unbounded.
package enum Limits {
  /// Maximum number of posts on the public list.
  package static let feedEntriesMax = 100
  /// Maximum size of a place as typed, in bytes. A street address in any script fits several times. The gazetteer reads
  /// no longer text.
  package static let placeBytesMax = 256
  /// Maximum size of a link, in bytes. Browsers and intermediaries reliably carry links of this size.
  package static let linkBytesMax = 2_048
  /// Maximum size of a first or last name, in bytes.
  package static let nameBytesMax = 100
  /// Maximum size of an email address, in bytes. RFC 5321 allows 256 bytes for a path, which adds two angle brackets.
  package static let emailBytesMax = 254
  /// Minimum size of a password, in bytes. NIST SP 800-63B asks for at least 8.
  package static let passwordBytesMin = 8
  /// Maximum size of a password, in bytes. The limit bounds the work of one login. It is well above the 64 characters
  /// that NIST SP 800-63B asks services to allow.
  package static let passwordBytesMax = 1_024
  /// Maximum size of an Idempotency-Key, in bytes. A UUID fits seven times.
  package static let idempotencyKeyBytesMax = 255
  /// Time for which ingest recognises a repeated request by its idempotency key, in days.
  package static let idempotencyDays: Int64 = 7
  /// Maximum number of places in the result of a lookup.
  package static let candidatesMax = 20
  /// Default number of places in the result of a lookup.
  package static let candidatesDefault = 5
  /// Maximum size of an invalid value that an error message repeats, in bytes.
  package static let quotedTextBytesMax = 64
  /// Maximum size of a second-level region's name, in bytes.
  package static let countyBytesMax = 256
  /// Maximum size of a postcode, in bytes. The longest postcodes in use have about ten characters.
  package static let postcodeBytesMax = 32
  /// Maximum size of the name of a geocoding provider, in bytes.
  package static let providerBytesMax = 32
  /// Maximum size of all attributions of a result together, in bytes. The licences of the result's sources require
  /// these texts.
  package static let attributionBytesMax = 1_024
}
