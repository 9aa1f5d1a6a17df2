package import Domain

/// One place in the file: 32 bytes, little-endian, in this order. Positions are record numbers, never addresses.
package struct PlaceRecord: BitwiseCopyable, Sendable {
  /// The number of no place.
  package static let none = UInt32.max
  /// What a place counts as of which nobody tells the inhabitants.
  private static let unknownPopulation: UInt32 = 250

  /// 1e-7 degrees.
  package var latitudeE7: Int32
  /// 1e-7 degrees.
  package var longitudeE7: Int32
  /// Inhabitants, 0 where they are not known.
  package var population: UInt32
  /// Where the displayed name begins in the strings.
  package var nameOffset: UInt32
  /// The first-level region, itself for a region, `none` where there is none.
  package var region: UInt32
  /// The country's number, which is also its record number: countries come first.
  package var country: UInt16
  /// Bytes of the displayed name.
  package var nameLength: UInt16
  /// See `rank(level:population:)`.
  package var rank: UInt16
  /// `Place.Level`.
  package var level: UInt8
  /// 1 for a place that is usually a part of a larger one near it, else 0.
  package var isPart: UInt8
  /// The second-level region, itself for a county, `none` where there is none or it is not known.
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

  // By number: asking `Place.Level` for its raw value is a call, and candidates are many.
  var isWide: Bool { level <= 2 }
  /// A first-level region.
  package var isRegion: Bool { level == 2 }
  /// A second-level region.
  package var isCounty: Bool { level == 3 }
  /// A populated place of any size.
  package var isCity: Bool { level == 4 }

  /// How likely a place is meant by its bare name, in 1/256: the binary logarithm of its population, shifted by level
  /// so that a country outranks a city of its name, and a city the region that contains it ("São Paulo", "New York").
  package static func rank(level: Place.Level, population: UInt32) -> UInt16 {
    let bonus =
      switch level {
      case .country: 16
      case .region: 4
      case .county: 2
      default: 8
      }
    // Linear between powers of two: monotone, which is all that an order needs.
    let value = UInt64(level == .city && population == 0 ? unknownPopulation : population) + 1
    let exponent = 63 - value.leadingZeroBitCount
    let fraction = exponent >= 8 ? (value >> UInt64(exponent - 8)) & 0xFF : (value << UInt64(8 - exponent)) & 0xFF
    return UInt16((bonus + exponent) * 256 + Int(fraction))
  }
}

/// What only countries have: 8 bytes.
package struct CountryRecord: BitwiseCopyable, Sendable {
  /// ISO 3166-1 alpha-2, upper case, the first letter in the low byte.
  package var code: UInt16
  /// The state a territory belongs to, by number; itself for a state.
  package var sovereign: UInt16
  var reserved: UInt32 = 0

  package init(code: UInt16, sovereign: UInt16) {
    (self.code, self.sovereign) = (code, sovereign)
  }

  /// Nil unless the text is two ASCII letters.
  @inlinable
  package static func code(_ text: some Collection<UInt8>) -> UInt16? {
    guard text.count == 2, let first = text.first, let second = text.dropFirst().first else { return nil }
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    guard letters.contains(first & 0xDF), letters.contains(second & 0xDF) else { return nil }
    return UInt16(first & 0xDF) | UInt16(second & 0xDF) << 8
  }
}

/// A folded name in the file, so that whoever reads it has what follows from it at hand: a word with how much there is,
/// the bytes, filled up to whole words with zeros, and the postings, a word each.
package struct NameEntry {
  /// The word before a name: how many bytes and postings follow.
  package struct Head: Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package init(byteCount: Int, postingCount: Int) {
      rawValue = UInt32(truncatingIfNeeded: byteCount) & 0x1FF | UInt32(truncatingIfNeeded: postingCount) << 9
    }

    /// 1 … `GazetteerLimits.queryBytes`.
    package var byteCount: Int { Int(rawValue & 0x1FF) }
    /// 1 … `postingsMax`.
    package var postingCount: Int { Int(rawValue >> 9) }
  }

  /// Postings of one name that the file has room for.
  package static let postingsMax = 1 << 23 - 1

  let bytes: UnsafeRawBufferPointer
  /// Their positions among the words.
  let postings: Range<UInt32>
}

/// A name's pointer to a place: 4 bytes. The postings of a name begin with its areas (what can contain a place), then
/// come populated places; each part by falling rank.
package struct Posting: Sendable {
  /// How the name belongs to the place.
  package enum Kind: UInt32, Sendable {
    case official = 0
    case alternate
    /// "WA", "NYC", "FRA".
    case code
    /// An alternate one that the official one begins with: "Halle" of Halle (Saale).
    case short

    /// What is taken from the rank of a place that is found by a name of this kind: postings are sorted by the rest. A
    /// place's alternate name counts as the name of one sixteen times smaller, its short name as that of one half as
    /// large; a country's as the name of a city: among
    /// a country's many names are those of towns ("Poole" is Poland in Irish).
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
  /// How the name belongs to the place.
  package var kind: Kind { Kind(rawValue: rawValue >> 28 & 0x3) ?? .alternate }
  /// The place is a country, region or county.
  package var isArea: Bool { rawValue & 0x8000_0000 != 0 }
  /// A region of which a chief town has this name too: the bare name means the town.
  package var isEclipsed: Bool { rawValue & 0x4000_0000 != 0 }

  /// What is taken from the rank of a place when it is found by this name, in the unit of ranks.
  package func demotion(level: UInt8) -> Int { isEclipsed ? 12 * 256 : kind.demotion(level: level) }
}
