import Domain

/// A parser of coordinates, with the latitude first. Examples: "47.6, -122.3", "47.6 -122.3", "47.6N 122.3W",
/// "48°51'24"N 2°21'03"E", "48 51.4 N, 2 21.05 E", "geo:47.6,-122.3;u=35" (RFC 5870).
enum CoordinateText {
  /// Returns true if a text begins with "geo:". Such a text is a point or invalid, but never a name.
  static func isURI(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var scanner = Scanner(text: text)
    scanner.skip(" ")
    return scanner.consume("geo:")
  }

  /// Returns the point. Nil if the text is something else, or a number is out of range.
  static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Coordinate? {
    // Most texts are names without a digit.
    guard text.contains(where: { $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
    var scanner = Scanner(text: text)
    scanner.skip(" ")
    let isURI = scanner.consume("geo:")
    let isBracketed = scanner.consume("(")
    guard let latitude = scanner.degrees(positive: "N", negative: "S") else { return nil }
    scanner.skip(" ")
    let hasComma = scanner.consume(",") || scanner.consume(";")
    scanner.skip(" ")
    guard let longitude = scanner.degrees(positive: "E", negative: "W") else { return nil }
    // "10115 12" may be a postcode and a house number, so whole numbers need the comma or their directions.
    guard hasComma || latitude.isCertain && longitude.isCertain else { return nil }
    scanner.skip(" ")
    guard !isBracketed || scanner.consume(")") else { return nil }
    guard isURI || scanner.isAtEnd else { return nil }
    return Coordinate(latitude: latitude.value, longitude: longitude.value)
  }

  private struct Scanner {
    let text: UnsafeBufferPointer<UInt8>
    var index = 0

    var isAtEnd: Bool { index == text.count }

    /// Consumes a word, in any case. Returns false if the rest of the text does not begin with the word.
    mutating func consume(_ word: StaticString) -> Bool {
      let end = index + word.utf8CodeUnitCount
      guard end <= text.count, word.withUTF8Buffer({ zip($0, text[index..<end]).allSatisfy(Self.isSame) }) else {
        return false
      }
      index = end
      return true
    }

    /// Returns true if the bytes are equal or are the two cases of a letter.
    private static func isSame(_ character: UInt8, _ byte: UInt8) -> Bool {
      let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character | 0x20)
      return character == byte || isLetter && character ^ 0x20 == byte
    }

    private mutating func consume(anyOf words: [StaticString]) -> Bool {
      for word in words where consume(word) { return true }
      return false
    }

    mutating func skip(_ character: StaticString) {
      while consume(character) {}
    }

    /// Parses degrees: a number, or a whole number with minutes and seconds. A sign, a degree sign, and a direction
    /// before or after the number are optional. `isCertain` is false for a whole number alone.
    mutating func degrees(positive: StaticString, negative: StaticString) -> (value: Double, isCertain: Bool)? {
      var sign = 1.0
      var hasDirection = false
      if consume(positive) {
        hasDirection = true
      } else if consume(negative) {
        (hasDirection, sign) = (true, -1)
      }
      if hasDirection { skip(" ") }
      if consume("-") || consume("−") {
        sign = -sign
      } else {
        _ = consume("+")
      }
      guard let (magnitude, hasFraction) = number() else { return nil }
      let hasDegreeSign = consume("°") || consume("º")
      let start = index
      // Parse as many parts as possible. Without their signs, only a direction identifies minutes and seconds.
      for count in stride(from: hasFraction ? 0 : 2, through: 0, by: -1) {
        index = start
        guard let parts = parts(count) else { continue }
        let isDirected = hasDirection || consumeDirection(positive, negative, &sign)
        guard count == 0 || isDirected || hasDegreeSign && parts.isMarked else { continue }
        guard parts.isInRange else { return nil }
        return (sign * (magnitude + parts.value), hasFraction || isDirected || count > 0)
      }
      return nil
    }

    private mutating func consumeDirection(
      _ positive: StaticString, _ negative: StaticString, _ sign: inout Double
    ) -> Bool {
      let before = index
      skip(" ")
      if consume(positive) { return true }
      if consume(negative) {
        sign = -sign
        return true
      }
      index = before
      return false
    }

    /// Parses minutes, and seconds if `count` is 2. Returns their sum in degrees. Only the last part may have a
    /// fraction. `isInRange` is true if each part is below 60.
    private mutating func parts(_ count: Int) -> (value: Double, isMarked: Bool, isInRange: Bool)? {
      var (value, unit) = (0.0, 1.0)
      var (isMarked, isInRange, mayFollow) = (true, true, true)
      for part in 0..<count {
        skip(" ")
        guard mayFollow, let (number, hasFraction) = number() else { return nil }
        unit /= 60
        value += number * unit
        mayFollow = !hasFraction
        isInRange = isInRange && number < 60
        isMarked = consume(anyOf: part == 0 ? Self.minuteSigns : Self.secondSigns) && isMarked
      }
      return (value, isMarked, isInRange)
    }

    private static let minuteSigns: [StaticString] = ["'", "′", "’"]
    private static let secondSigns: [StaticString] = ["\"", "″", "”", "''", "′′", "’’"]

    private mutating func number() -> (value: Double, hasFraction: Bool)? {
      var digits: Int64 = 0
      var count = 0
      var scale = 1.0
      var hasFraction = false
      // An `Int64` holds 18 digits.
      while index < text.count, count < 18 {
        let byte = text[index]
        if byte == UInt8(ascii: "."), !hasFraction, count > 0 {
          hasFraction = true
        } else if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
          digits = digits * 10 + Int64(byte & 0x0F)
          count += 1
          if hasFraction { scale *= 10 }
        } else {
          break
        }
        index += 1
      }
      guard count > 0, count <= 17 else { return nil }
      return (Double(digits) / scale, hasFraction)
    }
  }
}
