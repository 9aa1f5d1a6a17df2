import Testing

@testable import Domain

@Suite("Email addresses")
struct EmailAddressTests {
  @Test("An address is trimmed and in lower case")
  func normalised() {
    #expect(EmailAddress(" Ada.Lovelace+map@Mail.Example.ORG ")?.text == "ada.lovelace+map@mail.example.org")
    #expect(EmailAddress("zoë@bücher.example")?.text == "zoë@bücher.example")
  }

  @Test(
    "An address with an unusual but valid form is accepted",
    arguments: [
      "a@b.c", "o'neil@example.org", "a_b-c@x-1.example.co.uk", "1@2.example", "a!#$%&*/=?^`{|}~@example.org",
      String(repeating: "a", count: 64) + "@example.org", "a@" + String(repeating: "b", count: 63) + ".example",
      "京@例え.テスト",
    ])
  func valid(text: String) { #expect(EmailAddress(text)?.text == text) }

  @Test(
    "A text without the form of an address is refused",
    arguments: [
      "", "ada", "@example.org", "ada@", "ada@example@org", "ada@nowhere", "ada@localhost", "ada@.org", "ada@example.",
      "ada@example..org", ".ada@example.org", "ada.@example.org", "a..da@example.org", "ada@-example.org",
      "ada@example-.org", "ada@exam_ple.org", "ada@127.0.0.1", "ada@[127.0.0.1]", "a da@example.org",
      "ada@exa mple.org", "\"ada\"@example.org", "ada<b>@example.org", "ada,bob@example.org", "ada;b@example.org",
      "ada\\@example.org", "ada\r\nBcc: bob@example.org", "ada\n@example.org", "ada\u{0}@example.org",
      "ada\u{200B}@example.org", "ada@ex\u{202E}ample.org", "ada\u{A0}@example.org",
      String(repeating: "a", count: 65) + "@example.org", "a@" + String(repeating: "b", count: 64) + ".example",
      "a@" + Array(repeating: "example", count: 32).joined(separator: "."),
    ])
  func invalid(text: String) {
    #expect(EmailAddress(text) == nil)
    #expect(throws: Submission.Refusal.self) {
      try Registration(email: text, password: "a-pass-word", firstName: "Ada", lastName: "")
    }
    #expect(throws: Submission.Refusal.self) { try ProfileChange(email: text, firstName: nil, lastName: nil) }
  }
}
