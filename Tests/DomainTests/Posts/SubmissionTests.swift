import Testing

@testable import Domain

@Suite("Submissions")
struct SubmissionTests {
  private func field(place: String = "Oslo", link: String = "example.org", _ at: (Double?, Double?) = (nil, nil))
    -> String?
  {
    do {
      _ = try Submission(place: place, link: link, latitude: at.0, longitude: at.1)
      return nil
    } catch { return error.field }
  }

  @Test("A submission keeps the place as typed, without white space around it")
  func trimmed() throws {
    let submission = try Submission(place: " \t São Paulo,  SP\n", link: "example.org", latitude: nil, longitude: nil)
    #expect(submission.place == "São Paulo,  SP")
    #expect(submission.link == "https://example.org")
    #expect(submission.coordinate == nil)
    for (place, kept) in [("\u{A0}Oslo\u{3000}", "Oslo"), (" \u{301}Oslo \u{308} ", "\u{301}Oslo \u{308}")] {
      let submission = try Submission(place: place, link: "example.org", latitude: nil, longitude: nil)
      #expect(
        Array(submission.place.unicodeScalars) == Array(kept.unicodeScalars), "A combining mark on a space is kept.")
    }
  }

  @Test("A place without 1 to 256 bytes is refused")
  func placeLength() {
    #expect(field(place: "") == "place")
    #expect(field(place: " \n ") == "place")
    #expect(field(place: "x") == nil)
    #expect(field(place: String(repeating: "x", count: 256)) == nil)
    #expect(field(place: String(repeating: "x", count: 257)) == "place")
    #expect(field(place: String(repeating: "é", count: 128)) == nil)
    #expect(field(place: String(repeating: "é", count: 128) + "x") == "place")
  }

  @Test(
    "A place with a line break or a hidden character is refused",
    arguments: ["a\nb", "a\u{0}b", "a\u{1B}[31mb", "a\u{202E}b", "a\u{200B}b", "a\u{2029}b", "a\u{61C}b", "a\u{FFF9}b"])
  func placeCharacters(place: String) {
    #expect(field(place: place) == "place")
  }

  @Test("The refusal of a place names the bad character and its remedy")
  func namedCharacter() {
    let refusal = #expect(throws: Submission.Refusal.self) {
      try Submission(place: "Rome\u{202E}", link: "example.org", latitude: nil, longitude: nil)
    }
    let reason =
      "has U+202E RIGHT-TO-LEFT OVERRIDE at character 5, which changes the direction of the text: remove it"
    #expect(refusal == Submission.Refusal(field: "place", reason: reason))
    #expect(field(place: "\u{2800}") == "place" && field(place: "\u{301}") == "place")
  }

  @Test("A place may be in any script", arguments: ["Москва", "東京都", "القاهرة", "São Tomé", "नई दिल्ली", "🗺 Oslo"])
  func scripts(place: String) {
    #expect(field(place: place) == nil)
  }

  @Test("A bad link is refused by field, with the reason of the link check")
  func link() {
    let refusal = #expect(throws: Submission.Refusal.self) {
      try Submission(place: "Oslo", link: "javascript:1", latitude: nil, longitude: nil)
    }
    #expect(refusal == Submission.Refusal(field: "link", reason: WebLink.Refusal.scheme("javascript:").reason))
  }

  @Test("Any single line up to the length of a link is kept, trimmed, if the caller allows any link")
  func anyLink() throws {
    func link(_ text: String) throws -> (String, String?) {
      let submission = try Submission(
        place: "Oslo", link: text, latitude: nil, longitude: nil, allowsAnyLink: true)
      return (submission.link, submission.linkText)
    }
    let longest = String(repeating: "x ", count: 1_023) + "xx"
    for text in ["", "javascript:1", "no link", "https://a:b@c.d", longest] {
      #expect(try link(text) == ("", text))
      #expect(try link(" \t\(text)\u{A0}\n") == ("", text))
    }
    #expect(try link("example.org") == ("https://example.org", nil))
    #expect(try link("https://example.org/Ada") == ("https://example.org/Ada", nil))
    #expect(try link("HTTPS://Example.ORG/Ada") == ("https://example.org/Ada", "HTTPS://Example.ORG/Ada"))
    #expect(try link(" Example.ORG/Ada ") == ("https://example.org/Ada", "https://Example.ORG/Ada"))
    #expect(try link(" \u{6E2}l.ol80") == ("https://\u{6E2}l.ol80", nil))
    #expect(try link("\u{A0}example.org\n") == ("https://example.org", nil))
    for text in ["a\nb", "a\u{202E}b", longest + "y"] {
      #expect(throws: Submission.Refusal.self) { try link(text) }
    }
  }

  @Test("Coordinates must come in pairs, be finite and lie on the earth")
  func coordinates() {
    #expect(field((90, 180)) == nil)
    #expect(field((-90, -180)) == nil)
    #expect(field((90.000_001, 0)) == "latitude")
    #expect(field((0, -180.000_001)) == "longitude")
    #expect(field((91, 181)) == "latitude")
    #expect(field((.nan, 0)) == "latitude")
    #expect(field((0, .infinity)) == "longitude")
    #expect(field((1, nil)) == "longitude")
    #expect(field((nil, 1)) == "latitude")
  }
}

@Suite("Registrations")
struct RegistrationTests {
  private func field(
    email: String = "ada@example.org", password: String = "8 bytes.", first: String = "Ada", last: String = ""
  ) -> String? {
    do {
      _ = try Registration(email: email, password: password, firstName: first, lastName: last)
      return nil
    } catch { return error.field }
  }

  @Test("A registration trims the email address and lowers its case")
  func emailAddress() throws {
    let registration = try Registration(
      email: " Ada@Example.ORG\n", password: "Pass word", firstName: " Ada ", lastName: " ")
    #expect(registration.email == "ada@example.org")
    #expect(registration.password == "Pass word", "A password is kept as typed.")
    #expect(registration.firstName == "Ada")
    #expect(registration.lastName == "")
  }

  @Test(
    "An email address without text on both sides of a single @ is refused",
    arguments: ["", "ada", "@example.org", "ada@", "a@b@c", "a b@example.org", "a@\u{202E}b", "a@b\u{0}", "a\n@b"])
  func email(text: String) {
    #expect(field(email: text) == "email")
  }

  @Test("Email address, password and names have limits of length and characters")
  func limits() {
    let host = "@" + String(repeating: "\(String(repeating: "b", count: 61)).", count: 3) + "example"
    #expect(field(email: String(repeating: "a", count: 254 - host.count) + host) == nil)
    #expect(field(email: String(repeating: "a", count: 255 - host.count) + host) == "email")
    #expect(field(password: "1234567") == "password")
    #expect(field(password: String(repeating: "p", count: 1_024)) == nil)
    #expect(field(password: String(repeating: "p", count: 1_025)) == "password")
    #expect(field(first: String(repeating: "n", count: 100)) == nil)
    #expect(field(first: String(repeating: "n", count: 101)) == "firstName")
    #expect(field(last: String(repeating: "é", count: 50)) == nil)
    #expect(field(last: String(repeating: "é", count: 50) + "n") == "lastName")
    #expect(field(first: "  ") == "firstName")
    #expect(field(first: "A\u{202E}da") == "firstName")
    for blank in ["\u{2800}", "\u{FE0F}", "\u{301}"] {
      #expect(field(first: blank) == "firstName" && field(last: blank) == "lastName")
    }
    for name in ["مه\u{200C}سا", "👨\u{200D}👩\u{200D}👧", "ශ\u{DCA}\u{200D}රී"] {
      #expect(field(first: name, last: name) == nil)
    }
    #expect(
      field(email: "مه\u{200C}سا@example.org") == "email",
      "An invisible character would make two addresses look alike.")
    #expect(field(last: "Love\nlace") == "lastName")
  }
}
