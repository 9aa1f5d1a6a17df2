/// Every limit of the system that users meet: the unit is in the name, the reason beside it. A file for each part:
/// `Limits+JobLink`, `Limits+Feed`, `Limits+HTTP` and so on; here stand those of a post and of a place.
///
/// Promise 5 of the design: nothing is unbounded.
package enum Limits {
  /// Posts on the public list.
  package static let feedEntriesMax = 100
  /// Size of a place as typed. A street address in any script fits several times; the gazetteer reads no more.
  package static let placeBytesMax = 256
  /// Size of a link: what browsers and intermediaries are sure to carry.
  package static let linkBytesMax = 2_048
  /// Size of a first or last name.
  package static let nameBytesMax = 100
  /// Size of an e-mail address: 64 before the @, 255 behind it (RFC 5321), rounded down to what fits a forward-path.
  package static let emailBytesMax = 254
  /// Shortest password. (NIST SP 800-63B asks for 8 at least.)
  package static let passwordBytesMin = 8
  /// Longest password: bounds what one login hashes, and is well above the 64 characters that must be allowed.
  package static let passwordBytesMax = 1_024
  /// Size of an Idempotency-Key: a UUID fits seven times.
  package static let idempotencyKeyBytesMax = 255
  /// Days within which a request that is repeated with its key is recognised.
  package static let idempotencyDays: Int64 = 7
  /// Places in the answer to a lookup.
  package static let candidatesMax = 20
  /// Places in the answer to a lookup that names no number.
  package static let candidatesDefault = 5
  /// Bytes of a wrong value that the message about it repeats.
  package static let complaintBytesMax = 64
  /// Size of a second-level region's name.
  package static let countyBytesMax = 256
  /// Size of a postcode: the longest in use have about ten characters.
  package static let postcodeBytesMax = 32
  /// Size of the name of the provider that answered a lookup.
  package static let providerBytesMax = 32
  /// Size of the texts that the licences of an answer's sources require to be shown, all together.
  package static let attributionBytesMax = 1_024
}
