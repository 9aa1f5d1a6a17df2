import Testing

@testable import Domain

@Suite("Identity from a sign-in provider")
struct ProvidedIdentityTests {
  private func identity(
    _ given: String? = nil, _ family: String? = nil, name: String? = nil, email: String? = nil, subject: String = "1"
  ) -> ProvidedIdentity? {
    ProvidedIdentity(
      issuer: "https://login.example", subject: subject, email: email, givenName: given, familyName: family, name: name)
  }

  @Test("First and last name come from the provider's claims, as safe single lines")
  func names() throws {
    let long = String(repeating: "é", count: 60)
    let cases: [(String?, String?, String?, String, String)] = [
      ("Ada", "Lovelace", "Countess", "Ada", "Lovelace"), (" Ada \n Maria", nil, nil, "Ada Maria", ""),
      (nil, nil, "Ada Maria Lovelace", "Ada Maria", "Lovelace"), (nil, nil, "Ada", "Ada", ""),
      ("", "King", "Ada Lovelace", "Ada", "King"), (nil, nil, nil, "Somebody", ""),
      (" ", "\u{202E}", "\0", "Somebody", ""), ("\u{2800}", "\u{301}", nil, "Somebody", ""),
      ("مه\u{200C}سا", "A\u{200C}b", nil, "مه\u{200C}سا", "Ab"),
      ("A\u{202E}da\u{0}", "<b>", nil, "Ada", "<b>"), (long, long, nil, long.prefix(50) + "", long.prefix(50) + ""),
      (String(repeating: "a", count: 99) + " b", nil, nil, String(repeating: "a", count: 99), ""),
    ]
    for (given, family, name, first, last) in cases {
      let found = try #require(identity(given, family, name: name))
      #expect(found.firstName == first && found.lastName == last, "\(found)")
      #expect(throws: Never.self) {
        try Registration(email: "a@b.example", password: "a-pass-word", firstName: first, lastName: last)
      }
    }
  }

  @Test("An email address is normalised as at sign-up, and an invalid one counts as absent")
  func email() {
    #expect(identity(email: " Ada@Example.org ")?.email == "ada@example.org")
    for bad in ["ada", "a b@c", "@c", "", String(repeating: "a", count: 253) + "@b.c", "a@b.c\u{202E}"] {
      #expect(identity(email: bad)?.email == nil && identity(email: bad) != nil)
    }
  }

  @Test("A subject without 1 to 255 printable characters is refused")
  func subject() {
    let longest = String(repeating: "s", count: Limits.subjectBytesMax)
    for good in ["1", "a b|c", longest] { #expect(identity(subject: good) != nil) }
    for bad in ["", longest + "s", "é", "a\n"] { #expect(identity(subject: bad) == nil) }
  }
}
