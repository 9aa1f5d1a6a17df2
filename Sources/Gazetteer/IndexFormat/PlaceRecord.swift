package import Domain

/// A place in the file: 32 bytes, little-endian, in this order. References are record numbers, never addresses.
package struct PlaceRecord: BitwiseCopyable, Sendable {
  /// Record number that stands for no place.
  package static let none = UInt32.max
  /// The assumed number of inhabitants of a city without a known population.
  private static let unknownPopulation: UInt32 = 250

  /// Latitude in 1e-7 degrees.
  package var latitudeE7: Int32
  /// Longitude in 1e-7 degrees.
  package var longitudeE7: Int32
  /// Number of inhabitants. 0 if unknown.
  package var population: UInt32
  /// Offset of the displayed name in the strings section, in bytes.
  package var nameOffset: UInt32
  /// Number of the first-level region. A region refers to itself. `none` if there is none.
  package var region: UInt32
  /// Number of the country, which is also its record number because countries come first.
  package var country: UInt16
  /// Length of the displayed name, in bytes.
  package var nameLength: UInt16
  /// Rank from `rank(level:population:)`, in 1/256.
  package var rank: UInt16
  /// Raw value of `Place.Level`.
  package var level: UInt8
  /// 1 for a city that is usually a part of a larger city near it, otherwise 0.
  package var isPart: UInt8
  /// Number of the second-level region. A county refers to itself. `none` if there is none or it is unknown.
  package var county: UInt32

  package init(
    latitudeE7: Int32, longitudeE7: Int32, population: UInt32, nameOffset: UInt32, region: UInt32, country: UInt16,
    nameLength: UInt16, rank: UInt16, level: UInt8, isPart: UInt8 = 0, county: UInt32 = none
  ) {
    (self.latitudeE7, self.longitudeE7, self.population) = (latitudeE7, longitudeE7, population)
    (self.nameOffset, self.nameLength) = (nameOffset, nameLength)
    (self.region, self.country, self.county) = (region, country, county)
    (self.rank, self.level, self.isPart) = (rank, level, isPart)
  }

  // The properties compare numbers, because `Place.Level.rawValue` costs a call for each of many candidates.

  /// True for a country or a first-level region.
  var isWide: Bool { level <= 2 }
  /// True for a first-level region.
  package var isRegion: Bool { level == 2 }
  /// True for a second-level region.
  package var isCounty: Bool { level == 3 }
  /// True for a city: a populated place of any size.
  package var isCity: Bool { level == 4 }

  /// Returns the rank of a place, in 1/256: the binary logarithm of its population, and a bonus for its level. A bare
  /// name means the place with the highest rank. A country outranks a city of its name, and a city outranks the region
  /// that contains it ("São Paulo", "New York").
  package static func rank(level: Place.Level, population: UInt32) -> UInt16 {
    let bonus =
      switch level {
      case .country: 16
      case .region: 4
      case .county: 2
      default: 8
      }
    // The fraction is linear between powers of two. Ranks need only the right order.
    let value = UInt64(level == .city && population == 0 ? unknownPopulation : population) + 1
    let exponent = 63 - value.leadingZeroBitCount
    let fraction = exponent >= 8 ? (value >> UInt64(exponent - 8)) & 0xFF : (value << UInt64(8 - exponent)) & 0xFF
    return UInt16((bonus + exponent) * 256 + Int(fraction))
  }
}

/// The fields that only countries have: 8 bytes.
package struct CountryRecord: BitwiseCopyable, Sendable {
  /// ISO 3166-1 alpha-2 code in upper case, with the first letter in the low byte.
  package var code: UInt16
  /// Number of the state to which a territory belongs. A state refers to itself.
  package var sovereign: UInt16
  var reserved: UInt32 = 0

  package init(code: UInt16, sovereign: UInt16) {
    (self.code, self.sovereign) = (code, sovereign)
  }

  /// Packs two ASCII letters of any case. Returns nil for any other text.
  @inlinable
  package static func code(_ text: some Collection<UInt8>) -> UInt16? {
    guard text.count == 2, let first = text.first, let second = text.dropFirst().first else { return nil }
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    guard letters.contains(first & 0xDF), letters.contains(second & 0xDF) else { return nil }
    return UInt16(first & 0xDF) | UInt16(second & 0xDF) << 8
  }
}

/// A folded name in the file, in 32-bit words: the counts, the bytes padded with zeros, and one word for each posting.
/// The parts are adjacent, so that a reader finds them in the same cache lines.
package struct NameEntry {
  /// The word before a name, which holds the counts of bytes and postings that follow.
  package struct Head: Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package init(byteCount: Int, postingCount: Int) {
      rawValue = UInt32(truncatingIfNeeded: byteCount) & 0x1FF | UInt32(truncatingIfNeeded: postingCount) << 9
    }

    /// Length of the name in bytes, from 1 to `GazetteerLimits.queryBytes`.
    package var byteCount: Int { Int(rawValue & 0x1FF) }
    /// Number of postings, from 1 to `postingsMax`.
    package var postingCount: Int { Int(rawValue >> 9) }
  }

  /// Maximum number of postings of a name that fits into the head.
  package static let postingsMax = 1 << 23 - 1

  let bytes: UnsafeRawBufferPointer
  /// Positions of the postings among the words.
  let postings: Range<UInt32>
}

/// A name's reference to a place: 4 bytes. A name's postings begin with its areas, which can contain places. Cities
/// follow. Each part is sorted by descending rank.
package struct Posting: Sendable {
  /// The relation between a name and a place.
  package enum Kind: UInt32, Sendable {
    case official = 0
    case alternate
    /// A code: "WA", "NYC", "FRA".
    case code
    /// An alternate name with which the official one begins: "Halle" of Halle (Saale).
    case short

    /// Returns the deduction from the rank of a place that a name of this kind finds, in 1/256. Postings are sorted by
    /// the rank after the deduction.
    ///
    /// An alternate name counts as the name of a place with a sixteenth of the inhabitants, a code with an eighth, and
    /// a short name with half. A country's alternate name counts less, because many such names are also those of cities
    /// ("Poole" is Poland in Irish).
    package func demotion(level: UInt8) -> Int {
      switch self {
      case .official: 0
      case .short: 256
      case .alternate: (level == Place.Level.country.rawValue ? 17 : 4) * 256
      case .code: 3 * 256
      }
    }
  }

  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package init(place: UInt32, kind: Kind, isArea: Bool, isEclipsed: Bool = false) {
    rawValue =
      place & 0x0FFF_FFFF | kind.rawValue << 28 | (isEclipsed ? 0x4000_0000 : 0) | (isArea ? 0x8000_0000 : 0)
  }

  /// The place's record number.
  package var place: UInt32 { rawValue & 0x0FFF_FFFF }
  /// The relation between the name and the place.
  package var kind: Kind { Kind(rawValue: rawValue >> 28 & 0x3) ?? .alternate }
  /// True if the place is a country, region or county.
  package var isArea: Bool { rawValue & 0x8000_0000 != 0 }
  /// True for a region that contains a large enough city of the same name. The bare name then means the city.
  package var isEclipsed: Bool { rawValue & 0x4000_0000 != 0 }

  /// Returns the deduction from the rank of a place that this name finds, in 1/256.
  package func demotion(level: UInt8) -> Int { isEclipsed ? 12 * 256 : kind.demotion(level: level) }
}
