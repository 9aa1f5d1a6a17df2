/// Every limit of the system that users meet: the unit is in the name, the reason beside it. A file for each part:
/// `Limits+Jobs`, `Limits+Feed`, `Limits+HTTP` and so on; here stand those of a post and of a place.
///
/// Promise 5 of the design: nothing is unbounded.
package enum Limits {
  /// The list that everybody sees.
  package static let feedEntriesMax = 100
  /// A place as typed. A street address in any script fits several times; the gazetteer reads no more.
  package static let placeBytesMax = 256
  /// A link: what browsers and intermediaries are sure to carry.
  package static let linkBytesMax = 2_048
  /// A first or last name.
  package static let nameBytesMax = 100
  /// An e-mail address: 64 before the @, 255 behind it, RFC 5321, rounded down to what fits a forward-path.
  package static let emailBytesMax = 254
  /// NIST SP 800-63B asks for 8 at least.
  package static let passwordBytesMin = 8
  /// Bounds what one login hashes; well above the 64 characters that must be allowed.
  package static let passwordBytesMax = 1_024
  /// An Idempotency-Key: a UUID fits seven times.
  package static let idempotencyKeyBytesMax = 255
  /// A request that is repeated with its key within so many days is recognised.
  package static let idempotencyDays: Int64 = 7
  /// Alternatives in the answer to a look-up.
  package static let candidatesMax = 20
  /// The same where the client names no number.
  package static let candidatesUsual = 5
  /// What is repeated of a wrong value in the complaint about it.
  package static let complaintBytesMax = 64
  /// A second-level region's name.
  package static let countyBytesMax = 256
  /// A postcode: the longest in use have about ten characters.
  package static let postcodeBytesMax = 32
  /// The name of who answered a look-up.
  package static let providerBytesMax = 32
  /// What licences ask to be shown beside an answer, of all its sources.
  package static let attributionBytesMax = 1_024
}
