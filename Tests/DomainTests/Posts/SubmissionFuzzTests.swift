import Foundation
import Fuzzing
import Testing

@testable import Domain

@Suite("Random submissions")
struct SubmissionFuzzTests {
  private static let links = [
    "https://example.org/me", "HTTP://Example.ORG:8080/a?b#c", "example.org/x", "https://[2001:db8::1]:443/", "[::1]",
    "https://bücher.example/ä", "https://ada:x@example.org", "javascript://example.org/%0A", "example.org.:1", "a.b",
    "//example.org\\@a.b", "https://a.b/\u{202E}x", "localhost:80", "http://192.0.2.1",
  ].map { Array($0.utf8) }
  private static let places = [
    "Seattle, WA", "東京", "São Paulo", "e\u{301}", "\u{1F1F3}\u{1F1F4} Oslo", "نيويورك", "a\u{200D}b", "\u{FEFF}Rome",
    "علی\u{200C}آباد", "👨\u{200D}👩\u{200D}👧", "\u{2800}",
    "\r\n",
    "\u{2028}", "नई दिल्ली", "\u{E000}", "\u{10FFFF}", String(repeating: "x", count: 250),
  ].map { Array($0.utf8) }

  @Test("A random submission is refused by field, or its place fits and is one safe line")
  func submissions() {
    let numbers: [Double?] = [
      nil, 0, -0.0, 90, -90, 180, 90.000_000_04, .nan, .infinity, -.infinity, .greatestFiniteMagnitude,
      .leastNonzeroMagnitude,
    ]
    Fuzz.rounds(10_000) { random in
      let place = String(decoding: random.changed(random.one(of: Self.places), with: Self.places), as: UTF8.self)
      let link = String(decoding: random.changed(random.one(of: Self.links), with: Self.links), as: UTF8.self)
      func number() -> Double? {
        random.happens(20) ? random.one(of: numbers) : Double(bitPattern: random.next())
      }
      let at = random.happens(50) ? (nil, nil) : (number(), number())
      do {
        let submission = try Submission(
          place: place, link: random.happens(50) ? "a.b" : link, latitude: at.0, longitude: at.1)
        let kept = submission.place
        try #require((1...Limits.placeBytesMax).contains(kept.utf8.count), "\(place.utf8)")
        try #require(kept.isSafeLine && VisibleText(kept).showsSomething, "\(place.utf8)")
        return true
      } catch let refusal as Submission.Refusal {
        try #require(["place", "link", "latitude", "longitude"].contains(refusal.field), "\(refusal)")
        return false
      }
    }
  }

  @Test("A random text that parses as an id equals the text of that id")
  func ids() {
    let texts = ["4D5ox566Xg", "0000000000", "zzzzzzzzzz", "４D5ox566X"].map { Array($0.utf8) }
    Fuzz.rounds(20_000) { random in
      let text = String(decoding: random.changed(random.one(of: texts), with: texts), as: UTF8.self)
      let number = random.next() >> UInt64(random.below(64))
      if let id = PostID(rawValue: number) { try #require(PostID(id.description) == id, "\(number)") }
      guard let id = PostID(text) else { return false }
      try #require(id.description == text && PostID(rawValue: id.rawValue) == id, "\(text.debugDescription)")
      return true
    }
  }
}
