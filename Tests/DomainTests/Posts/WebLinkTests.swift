import Fuzzing
import Testing

@testable import Domain

@Suite("Web links")
struct WebLinkTests {
  @Test(
    "A web address is accepted and normalised",
    arguments: [
      ("https://example.org/me", "https://example.org/me"),
      ("HTTP://EXAMPLE.org/PaTh?Q=1#F", "http://example.org/PaTh?Q=1#F"),
      ("  https://example.org  ", "https://example.org"),
      ("example.org/x", "https://example.org/x"),
      ("Example.ORG", "https://example.org"),
      ("example.org?q", "https://example.org?q"),
      ("example.org:8080/x", "https://example.org:8080/x"),
      ("example.org.:1", "https://example.org.:1"),
      ("https://example.org:65535", "https://example.org:65535"),
      ("https://localhost:3000/", "https://localhost:3000/"),
      ("https://example.org./", "https://example.org./"),
      ("https://under_score.example.org", "https://under_score.example.org"),
      ("http://192.0.2.1/a", "http://192.0.2.1/a"),
      ("https://[2001:DB8::1]:8443/a", "https://[2001:db8::1]:8443/a"),
      ("[::1]/a", "https://[::1]/a"),
      ("https://[::ffff:192.0.2.1]", "https://[::ffff:192.0.2.1]"),
      ("https://bücher.example/ä", "https://bücher.example/ä"),
      ("https://例え.テスト/パス", "https://例え.テスト/パス"),
      ("https://example.org/a@b:c//d", "https://example.org/a@b:c//d"),
      ("https://example.org/?u=javascript:alert(1)", "https://example.org/?u=javascript:alert(1)"),
      ("example.org/javascript:alert(1)", "https://example.org/javascript:alert(1)"),
    ])
  func accepted(input: String, text: String) throws {
    let link = try WebLink(input)
    #expect(link.text == text)
    #expect(try WebLink(link.text) == link, "Normalising twice changes nothing.")
  }

  @Test(
    "A scheme other than http and https is refused by name",
    arguments: [
      ("javascript:alert(1)", "javascript:"),
      ("JaVaScRiPt:alert(1)", "javascript:"),
      ("  javascript:alert(1)", "javascript:"),
      ("javascript://example.org/%0Aalert(1)", "javascript://"),
      ("javascript:1", "javascript:"),
      ("data:text/html,x", "data:"),
      ("data:text/html;base64,eA==", "data:"),
      ("vbscript:x", "vbscript:"),
      ("ftp://example.org", "ftp://"),
      ("file:///etc/passwd", "file://"),
      ("blob:https://example.org/1", "blob:"),
      ("mailto:ada@example.org", "mailto:"),
      ("tel:+15550100", "tel:"),
      ("http:evil", "http:"),
      ("https:example.org", "https:"),
      ("http:/example.org", "http:"),
      ("localhost:3000", "localhost:"),
      ("example.org://x", "example.org://"),
      ("example.org:80x", "example.org:"),
      ("://example.org", "://"),
      (":80", ":"),
      ("//evil.example", "//"),
      ("//evil.example:80/x", "//"),
      ("/local/path", "//"),
    ])
  func scheme(input: String, shown: String) {
    #expect(throws: WebLink.Refusal.scheme(shown)) { try WebLink(input) }
  }

  @Test(
    "White space, control characters, hidden characters and markup are refused",
    arguments: [
      "\tjavascript:alert(1)", "java\nscript:alert(1)", "java\u{0}script:x", "\u{1}javascript:x",
      "https://example.org/a b", "https://example.org/\r\nSet-Cookie:a", "https://example.org/\u{7F}",
      "https://example.org/\u{85}", "https://example.org/\u{202E}gpj.exe", "https://example.org/\u{2066}x",
      "https://exa\u{200B}mple.org", "https://exa\u{200D}mple.org", "https://example.org/\u{FEFF}",
      "https://example.org/\u{61C}x", "https://example.org/\u{2028}", "https://example.org/\u{2060}",
      "https://example.org\\@evil.example", "\\\\evil.example\\share", "https:\\\\example.org",
      "https://example.org/<script>", "https://example.org/\"onload=x", "https://example.org/{x}",
      "https://example.org/|", "https://example.org/^", "https://example.org/`", "https://a\u{A0}b.example/",
      "https://example.org/\u{3000}x", "https://a\u{AD}b.example", "https://good.example\u{FF0F}evil.test/",
    ])
  func character(input: String) {
    #expect(throws: WebLink.Refusal.character) { try WebLink(input) }
  }

  @Test(
    "A host that browsers refuse is refused",
    arguments: [
      "https://", "https:///x", "https://?q", "https://#f", "https://.", "https://a..b", "https://.example.org",
      "https://-a.org", "https://a-.org", "https://exa%6Dple.org", "https://a,b", "https://a!b", "https://*",
      "https://[]", "https://[:", "https://[::g]", "https://[12]", "https://[1.2]", "https://[1:2]/", "https://[::::]/",
      "https://:80", "localhost", "me",
      "javascript.:1", "#me", "?me",
    ])
  func host(input: String) {
    #expect(throws: WebLink.Refusal.host) { try WebLink(input) }
  }

  @Test(
    "A user name or password is refused",
    arguments: ["https://a@b", "https://a:b@example.org", "ada@example.org", "https://@example.org", "https://a@b@c/d"])
  func credentials(input: String) {
    #expect(throws: WebLink.Refusal.credentials) { try WebLink(input) }
  }

  @Test(
    "A port outside 1 to 65535 is refused",
    arguments: [
      "https://example.org:0", "https://example.org:65536", "https://example.org:", "https://example.org:x",
      "https://example.org:80:90", "https://example.org:+80", "https://example.org:-80", "https://example.org:8 0",
      "https://[::1]x", "https://[::1]:", "https://[::1]:0", "example.org:0", "example.org:65536", "example.org:",
      "https://example.org:٣",
    ])
  func port(input: String) {
    let refusal = #expect(throws: WebLink.Refusal.self) { try WebLink(input) }
    #expect(refusal == (input.contains(" ") ? .character : .port))
  }

  @Test("A link has at most 2,048 bytes, as typed and as normalised")
  func length() throws {
    func link(_ start: String, bytes: Int) -> String { start + String(repeating: "a", count: bytes - start.utf8.count) }
    #expect(try WebLink(link("https://example.org/", bytes: 2_048)).text.utf8.count == 2_048)
    #expect(throws: WebLink.Refusal.tooLong) { try WebLink(link("https://example.org/", bytes: 2_049)) }
    #expect(try WebLink(link("example.org/", bytes: 2_040)).text.utf8.count == 2_048)
    #expect(throws: WebLink.Refusal.tooLong) { try WebLink(link("example.org/", bytes: 2_041)) }
    #expect(try WebLink(" " + link("https://example.org/", bytes: 2_048) + " ").text.utf8.count == 2_048)
  }

  @Test("An empty link is refused", arguments: ["", " ", "    "])
  func empty(input: String) {
    #expect(throws: WebLink.Refusal.empty) { try WebLink(input) }
  }

  @Test("Each refusal has its own one-sentence reason without a full stop")
  func reasons() {
    let refusals: [WebLink.Refusal] = [.empty, .tooLong, .character, .scheme("data:"), .host, .credentials, .port]
    let reasons = refusals.map(\.reason)
    #expect(Set(reasons).count == refusals.count)
    #expect(reasons.allSatisfy { $0.count > 20 && !$0.hasSuffix(".") && !$0.contains("\n") })
  }

  @Test("An accepted random link starts with http:// or https:// and has no markup character")
  func randomLinks() {
    var random = SeededRandom(seed: 11)
    let pieces = [
      "javascript:", "http:", "https:", "//", "/", "\\", "@", ":", ".", "a", "example.org", "[", "]", "::1", "80", "?",
      "#", " ", "\t", "\u{202E}", "\"", "<", "'", "%", "é", "-", "_", "0", "data:",
    ]
    var accepted = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...6, using: &random)
      let input = (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined()
      guard let link = try? WebLink(input) else { continue }
      accepted += 1
      #expect(link.text.hasPrefix("https://") || link.text.hasPrefix("http://"), "\(input)")
      #expect(!link.text.contains { "\"<>\\ \t".contains($0) }, "\(input)")
      #expect((try? WebLink(link.text)) == link, "\(input)")
    }
    #expect(accepted > 100, "Too few random links were accepted for this test.")
  }
}
