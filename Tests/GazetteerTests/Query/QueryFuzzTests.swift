import Domain
import Foundation
import Fuzzing
import GazetteerFixtures
import Testing

@testable import Gazetteer

@Suite("Fuzzed queries")
struct QueryFuzzTests {
  /// Names of the index, and texts that surround names in addresses of any script.
  private static let names = [
    "Saint Mary, Midden", "Beetown", "Aland", "müllheim aa", "Midden Midden OR", "東京", "Ålandia", "L'Étoile & Over",
    "King County, MI, AAA", "Twin", "12 Saint Mary St, 8000 Over", "S.M. A.A.", "State of Midden", "via Twin (Over)",
    "東京東京beetown", "\u{FEFF}\u{202E}Twin", "e\u{301}\u{1F5FA}\u{10FFFF}", "القاهرة", "नई दिल्ली", "한국 서울", "ＴＷＩＮ",
    String(repeating: "Midden ", count: 36), String(repeating: "&", count: 250), String(repeating: "a,", count: 120),
  ].map { Array($0.utf8) }
  private static let points = [
    "47.6, -122.3", "47.6 -122.3", "geo:47.6,-122.3;u=35", "47.6N 122.3W", "S 33.5°, E 151°", " +0;−0 ",
    "90,180", "99999999999999999999 1", ".5,.5", "1.0000000000000000000,2",
    "48°51'24\"N 2°21′3″E", "48 51 24 N, 2 21.5 E", "N 48º51’24” W 2°21'", "33°30''S, 151°60'E",
  ].map { Array($0.utf8) }

  @Test("Only text made of numbers and their signs is a point, and it lies on the earth")
  func points() {
    Fuzz.rounds(20_000) { random in
      let text = random.changed(random.one(of: Self.points), with: Self.points)
      guard let point = text.withUnsafeBufferPointer(CoordinateText.parse) else { return false }
      let decoded = String(decoding: text, as: UTF8.self)
      try #require(abs(point.latitude) <= 90 && abs(point.longitude) <= 180, "\(text)")
      let isURI = decoded.lowercased().drop { $0 == " " }.hasPrefix("geo:")
      try #require(
        isURI
          || decoded.unicodeScalars.allSatisfy("0123456789 .,;+-−°º'\"′″’”NSEWnsew".unicodeScalars.contains), "\(text)")
      return true
    }
  }

  @Test("A decimal point is read to its last digit, in any notation")
  func written() {
    Fuzz.rounds(5_000) { random in
      let latitude = Int32.random(in: -900_000_000...900_000_000, using: &random)
      let longitude = Int32.random(in: -1_800_000_000...1_800_000_000, using: &random)
      func degrees(_ value: Int32) -> String { String(format: "%.7f", Double(value.magnitude) / 1e7) }
      func signed(_ value: Int32) -> String { (value < 0 ? random.one(of: ["-", "−"]) : "") + degrees(value) }
      let separator = random.one(of: [",", ", ", " ", "; "])
      let compass = (latitude < 0 ? "S" : "n", longitude < 0 ? "w" : "E")
      for text in [
        signed(latitude) + separator + signed(longitude), "geo:\(signed(latitude)),\(signed(longitude));crs=wgs84",
        degrees(latitude) + compass.0 + separator + degrees(longitude) + "° " + compass.1,
        compass.0 + " " + degrees(latitude) + separator + compass.1 + degrees(longitude),
      ] {
        let point = Array(text.utf8).withUnsafeBufferPointer(CoordinateText.parse)
        try #require(point == Coordinate(latitudeE7: latitude, longitudeE7: longitude), "\(text)")
      }
      return true
    }
  }

  @Test("A point in minutes and seconds is read to the second, in any notation")
  func seconds() {
    Fuzz.rounds(5_000) { random in
      let latitude = Int64(random.below(2 * 90 * 3_600 + 1) - 90 * 3_600)
      let longitude = Int64(random.below(2 * 180 * 3_600 + 1) - 180 * 3_600)
      let signs = random.one(of: [["°", "'", "\""], ["° ", "′ ", "″ "], ["º", "’", "''"], [" ", " ", " "]])
      func written(_ seconds: Int64) -> String {
        let seconds = abs(seconds)
        return "\(seconds / 3_600)\(signs[0])\(seconds / 60 % 60)\(signs[1])\(seconds % 60)\(signs[2])"
      }
      let compass = (latitude < 0 ? "S" : "n", longitude < 0 ? "w" : "E")
      let separator = random.one(of: [",", ", ", " ", "; "])
      for text in [
        written(latitude) + compass.0 + separator + written(longitude) + compass.1,
        compass.0 + written(latitude) + separator + compass.1 + " " + written(longitude),
      ] {
        let point = try #require(Array(text.utf8).withUnsafeBufferPointer(CoordinateText.parse), "\(text)")
        try #require(abs(point.latitude * 3_600 - Double(latitude)) < 0.001, "\(text)")
        try #require(abs(point.longitude * 3_600 - Double(longitude)) < 0.001, "\(text)")
      }
      return true
    }
  }

  @Test("Folded text has its tokens in order, and folding it again changes nothing")
  func folding() {
    Fuzz.rounds(10_000) { random in
      let bytes = random.changed(random.one(of: Self.names), with: Self.names)
      let text = random.below(2) == 0 ? bytes : Array(String(decoding: bytes, as: UTF8.self).utf8)
      let reading = FoldedText.Reading(rawValue: UInt8(random.below(4)))
      let capacityMax = FoldedText.bytes(foldedFrom: GazetteerLimits.queryBytes)
      let capacity = random.below(4) == 0 ? 6 + random.below(60) : capacityMax
      return try FoldedText.withEmpty(bytes: capacity) { folded in
        text.withUnsafeBufferPointer { folded.fold($0, reading: reading) }
        var end = 0
        for token in folded.tokens[..<folded.tokenCount] {
          try #require(Int(token.start) == (end == 0 ? 0 : end + 1) && token.start < token.end, "\(bytes)")
          end = Int(token.end)
        }
        try #require(end == folded.byteCount, "\(bytes)")
        guard !folded.isTruncated, folded.tokenCount > 0 else { return false }
        let first = Array(folded.folded)
        first.withUnsafeBufferPointer { folded.fold($0) }
        try #require(folded.isTruncated || folded.folded.elementsEqual(first), "\(bytes)")
        return true
      }
    }
  }

  @Test("A query returns valid places within its limit, and the same ones again")
  func queries() throws {
    let index = try Hamlet.index()
    Fuzz.rounds(8_000) { random in
      let bytes = random.changed(random.one(of: Self.names + Self.points), with: Self.names)
      let country = random.one(of: [nil, nil, "AA", "bb", "", "A", "\u{C3}A", "ZZ", "AAA"])
      let query = PlaceQuery(String(decoding: bytes, as: UTF8.self), limit: random.below(30) - 3, country: country)
      let places = index.locate(query)
      try #require(places.count <= query.limit && places == index.locate(query), "\(query)")
      try #require(places.allSatisfy { (0...1).contains($0.confidence) && !$0.label.isEmpty }, "\(query)")
      try #require(zip(places, places.dropFirst()).allSatisfy { $0.confidence >= $1.confidence }, "\(query)")
      return !places.isEmpty
    }
  }
}
