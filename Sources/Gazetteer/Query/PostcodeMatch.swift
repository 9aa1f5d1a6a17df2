import Domain

/// Tokens of a query that are a postcode in some countries.
struct PostcodeMatch {
  /// Index of the first token.
  var first: Int
  /// Index after the last token. A code written in two parts has two tokens.
  var end: Int
  /// Mask of the tokens, one bit each.
  var mask: UInt64
  /// Record numbers, one for each country that uses the code.
  var records: Range<UInt32>
  /// Number of letters and digits of the code.
  var length: Int
  /// The only possible country of a code that the text continues with a second part ("EN52LP"). Otherwise nil.
  var country: UInt16?
}

/// A search for the postcodes in a query.
struct PostcodeMatcher {
  /// Memory that the caller provides.
  private let storage: UnsafeMutableBufferPointer<PostcodeMatch>
  private var count = 0
  private let index: UnsafePointer<IndexSections>
  private var sections: IndexSections { index.pointee }

  /// Looks up every token with a digit, alone and together with its neighbours within the segment. Ignores matches
  /// beyond the capacity of `storage`.
  init(
    _ index: UnsafePointer<IndexSections>, _ text: FoldedText, _ storage: UnsafeMutableBufferPointer<PostcodeMatch>
  ) {
    self.index = index
    self.storage = storage
    for first in 0..<text.tokenCount where text.tokens[first].content.contains(.digit) {
      let parts = Self.parts(at: first, text)
      if parts.before { find(first - 1, first + 1, text) }
      if parts.behind { find(first, first + 2, text) }
      find(first, first + 1, text)
    }
  }

  var matches: Slice<UnsafeMutableBufferPointer<PostcodeMatch>> { storage[..<count] }

  /// Returns true for each neighbour with which a token may form one code: the token before ("L-1234"), and the token
  /// behind ("K1A 0B1").
  private static func parts(at token: Int, _ text: FoldedText) -> (before: Bool, behind: Bool) {
    let segment = text.tokens[token].segment
    let isBefore =
      token > 0 && text.tokens[token - 1].segment == segment && text.tokens[token - 1].isPart
      && !text.tokens[token].content.contains(.afterDot)
    let isBehind =
      token + 1 < text.tokenCount && text.tokens[token + 1].segment == segment && text.tokens[token + 1].isPart
      && !text.tokens[token + 1].content.contains(.afterDot)
    // Two numbers form one code, which the search finds at the first of them.
    return (isBefore && !text.tokens[token - 1].content.contains(.digit), isBehind)
  }

  private mutating func find(_ first: Int, _ end: Int, _ text: FoldedText) {
    let bytes = text.slice(first, end)
    guard count < storage.count, let packed = PostcodeRecord.packed(bytes) else { return }
    var records = sections.postcodes(packed)
    var country: UInt16?
    // "EN52LP" is "EN5 2LP", and "1011HB" is "1011 HB". The data has only the first part.
    if records.isEmpty, end - first == 1, let (code, restCount) = Self.completeForm(of: bytes) {
      country = sections.country(code: code)
      PostcodeRecord.packed(bytes.dropLast(restCount)).map { records = sections.postcodes($0) }
    }
    guard !records.isEmpty else { return }
    let mask: UInt64 = ((1 << end) - 1) ^ ((1 << first) - 1)
    let length = bytes.count - (end - first - 1)
    storage.initializeElement(
      at: count,
      to: PostcodeMatch(first: first, end: end, mask: mask, records: records, length: length, country: country))
    count += 1
  }

  /// Returns the country whose complete codes have this form, and the length of the code's second part.
  private static func completeForm(of code: UnsafeRawBufferPointer) -> (country: UInt16, rest: Int)? {
    guard (5...7).contains(code.count) else { return nil }
    let isDigit = code.map { (0x30...0x39).contains($0) }
    let shape = isDigit.reduce(into: 1) { $0 = $0 << 1 | ($1 ? 1 : 0) }
    let found: (country: String, rest: Int)? =
      switch shape {
      case 0b1_010101: ("CA", 3)
      case 0b1_111100: ("NL", 2)
      case 0b1_01100, 0b1_011100, 0b1_001100, 0b1_0011100, 0b1_010100, 0b1_0010100: ("GB", 3)
      default: nil
      }
    return found.flatMap { found in CountryRecord.code(found.country.utf8).map { ($0, found.rest) } }
  }

  /// Returns the record of a postcode near the place, in the place's country, and the mask of the postcode's tokens.
  /// Longer codes take precedence. Nil without a postcode near the place.
  func record(
    near place: PlaceRecord, without mask: UInt64, _ text: FoldedText
  ) -> (number: UInt32, mask: UInt64)? {
    var best: (number: UInt32, mask: UInt64)?
    var bestLength = 0
    for match in matches where match.mask & mask == 0 && match.length > bestLength {
      for number in match.records {
        guard let record = sections.postcode(number), record.country == place.country,
          match.country ?? record.country == record.country, record.isNear(place)
        else {
          continue
        }
        bestLength = match.length
        let country = sections.country(record.country)?.code ?? 0
        best = (number, match.mask | Self.around(match, country, text))
      }
    }
    return best
  }

  /// Returns the mask of the tokens next to a code that belong to it: the country's letters and the code's second part.
  static func around(_ match: PostcodeMatch, _ country: UInt16, _ text: FoldedText) -> UInt64 {
    letter(before: match, country, text) | rest(of: match, country, text)
  }

  /// Returns the mask of the country's letters before a code, from licence plates or ISO 3166: "D-10115", "FR-75001".
  private static func letter(before match: PostcodeMatch, _ country: UInt16, _ text: FoldedText) -> UInt64 {
    let before = match.first - 1
    guard before >= 0, text.tokens[before].segment == text.tokens[match.first].segment else { return 0 }
    let letters = text.slice(before, before + 1)
    switch letters.count {
    case 1: return plates.contains { $0.letter == letters[0] && $0.country == country } ? 1 << before : 0
    case 2: return CountryRecord.code(letters) == country ? 1 << before : 0
    default: return 0
    }
  }

  /// Letters on licence plates that differ from the country's code.
  private static let plates: [(letter: UInt8, country: UInt16?)] = [
    (UInt8(ascii: "a"), code("AT")), (UInt8(ascii: "b"), code("BE")), (UInt8(ascii: "d"), code("DE")),
    (UInt8(ascii: "e"), code("ES")), (UInt8(ascii: "f"), code("FR")), (UInt8(ascii: "h"), code("HU")),
    (UInt8(ascii: "i"), code("IT")), (UInt8(ascii: "l"), code("LU")), (UInt8(ascii: "n"), code("NO")),
    (UInt8(ascii: "p"), code("PT")), (UInt8(ascii: "s"), code("SE")),
  ]

  /// Returns the mask of a code's second part. For the countries of `restForms`, the data has only the first part of
  /// each code.
  private static func rest(of match: PostcodeMatch, _ country: UInt16, _ text: FoldedText) -> UInt64 {
    guard match.end < text.tokenCount, text.tokens[match.end].segment == text.tokens[match.first].segment else {
      return 0
    }
    let token = text.tokens[match.end]
    let length = Int(token.end - token.start)
    guard (2...4).contains(length) else { return 0 }
    let isRest = restForms.contains { rest in
      rest.country == country && rest.length == length
        && token.content.contains(.digit) == rest.hasDigit && (rest.hasLetter || !token.content.contains(.letter))
    }
    return isRest ? 1 << match.end : 0
  }

  /// Forms of the second parts: "0B1", "AB", "1234", "123".
  private static let restForms: [(country: UInt16?, length: Int, hasDigit: Bool, hasLetter: Bool)] = [
    (code("GB"), 3, true, true), (code("CA"), 3, true, true), (code("NL"), 2, false, true),
    (code("US"), 4, true, false), (code("BR"), 3, true, false), (code("PT"), 3, true, false),
  ]

  private static func code(_ country: String) -> UInt16? { CountryRecord.code(country.utf8) }
}

extension Token {
  /// True if the token is short enough to be a part of a postcode.
  fileprivate var isPart: Bool { end - start <= 5 }
}

extension PostcodeRecord {
  func isNear(_ place: PlaceRecord, km: Double = GazetteerLimits.postcodeKm) -> Bool {
    // A degree of latitude has 111 km. Most records are far away, and this test needs no sine.
    guard Double(abs(Int64(latitudeE7) - Int64(place.latitudeE7))) < km * 1e7 / 111,
      let a = Coordinate(latitudeE7: latitudeE7, longitudeE7: longitudeE7),
      let b = Coordinate(latitudeE7: place.latitudeE7, longitudeE7: place.longitudeE7)
    else { return false }
    return a.distanceKm(to: b) < km
  }
}
