import Domain
import Foundation
import StubServers
import Testing

@testable import Mail

@Suite("Mail message")
struct MailMessageTests {
  private func message(name: String = "Ada Lovelace", subject: String = "Hello", body: String = "A line.") throws
    -> MailMessage
  {
    MailMessage(
      from: MailMessage.Mailbox(name: HeaderText("On The Map"), address: try #require(MailAddress("map@example.org"))),
      to: MailMessage.Mailbox(name: HeaderText(name), address: try #require(MailAddress("ada@example.org"))),
      subject: HeaderText(subject), language: .english, body: body, unixMs: 1_795_795_679_000)
  }

  /// Returns the names of the headers, in order. A line that begins with white space continues the previous one.
  private func headers(_ message: MailMessage) -> [String] {
    let head = message.text.components(separatedBy: "\r\n\r\n")[0]
    return head.components(separatedBy: "\r\n").filter { !$0.hasPrefix(" ") }.map { String($0.prefix { $0 != ":" }) }
  }

  private static let names = [
    "Date", "From", "To", "Subject", "Message-ID", "MIME-Version", "Content-Type", "Content-Language",
    "Content-Transfer-Encoding", "Auto-Submitted",
  ]

  @Test("A message has all headers, and a body in quoted-printable with CRLF at every line's end")
  func complete() throws {
    let message = try message(body: "Grüße = gut\nLink\n")
    #expect(headers(message) == Self.names)
    #expect(message.text.contains("Date: Fri, 27 Nov 2026 16:07:59 +0000\r\n"))
    #expect(message.text.contains("From: \"On The Map\" <map@example.org>\r\n"))
    #expect(message.text.contains("To: \"Ada Lovelace\" <ada@example.org>\r\nSubject: Hello\r\n"))
    #expect(message.text.hasSuffix("\r\n\r\nGr=C3=BC=C3=9Fe =3D gut\r\nLink\r\n\r\n"))
    #expect(!message.text.replacingOccurrences(of: "\r\n", with: "").contains { $0.isNewline })
    #expect(try self.message().text.contains("@example.org>\r\nMIME-Version"))
  }

  @Test(
    "No name and no subject adds a header, a line or a second address",
    arguments: [
      "Ada\r\nBcc: eve@example.org", "Ada\nBcc: eve@example.org", "Ada\rBcc: eve@example.org",
      "Ada\r\n\r\nA body", "Ada\u{2028}Bcc: eve@example.org", "Ada\u{0}", "Ada\u{85}Bcc: eve@example.org",
      "\" <eve@example.org>, \"", "Ada\\", "Ada\\\"", "=?UTF-8?Q?=0D=0ABcc:_eve@example.org?=", "Ada\t\r\n .",
      "Zoë\r\nBcc: eve@example.org", "京\u{202E}都", String(repeating: "ü", count: 500),
      String(repeating: "a", count: 5_000), "👩‍👩‍👧‍👦\r\n", "", " ", "=?",
    ])
  func hostile(text: String) throws {
    let message = try message(name: text, subject: text)
    #expect(headers(message) == Self.names, "\(message.text)")
    let lines = message.text.components(separatedBy: "\r\n")
    #expect(lines.allSatisfy { $0.utf8.count <= 998 && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
    let recipient = try #require(lines.firstIndex { $0.hasPrefix("To: ") })
    let end = try #require(lines[recipient...].firstIndex { $0.hasPrefix("Subject: ") || $0 == "Subject:" })
    let mailbox = lines[recipient..<end].joined()
    #expect(mailbox.hasSuffix("<ada@example.org>") || mailbox == "To: ada@example.org", "\(mailbox)")
    // Without quoted strings, one address remains.
    let unquoted = mailbox.replacing(#/"(?:[^"\\]|\\.)*"/#, with: "")
    #expect(!unquoted.contains("eve") && unquoted.count { $0 == "@" } == 1, "\(mailbox)")
  }

  @Test("A text beyond ASCII becomes encoded words that divide no character, and decode to the text")
  func encodedWords() throws {
    let text = "Bestätige deine E-Mail-Adresse für „On The Map“ 京都 👩‍👩‍👧‍👦 jetzt, wenn du magst"
    let words = HeaderText(text).unstructured.components(separatedBy: "\r\n ")
    #expect(words.count > 1 && words.allSatisfy { $0.utf8.count <= 75 })
    let decoded = try words.map { word in
      let base64 = try #require(word.wholeMatch(of: #/=\?UTF-8\?B\?([A-Za-z0-9+\/=]+)\?=/#)?.output.1)
      let bytes = try #require(Data(base64Encoded: String(base64)))
      return try #require(String(bytes: bytes, encoding: .utf8), "A word divides a character.")
    }
    #expect(decoded.joined() == text)
    #expect(HeaderText("Hello").unstructured == "Hello" && HeaderText("Hello").phrase == "\"Hello\"")
    #expect(HeaderText("a \"b\" \\").phrase == #""a \"b\" \\""#)
    #expect(HeaderText(" ").phrase == "" && HeaderText("").unstructured == "")
  }

  @Test("Quoted-printable lines have at most 76 bytes, and white space at a line's end survives")
  func quotedPrintable() {
    let cases = [
      "", "a", "a\n", "a \nb\t\n", "=", "ä", ".", "..\n.", "a\r\nb", "a\rb", String(repeating: "a", count: 300),
      String(repeating: "ü", count: 99), String(repeating: " ", count: 80), String(repeating: "a", count: 75) + "=b",
    ]
    for text in cases {
      let encoded = QuotedPrintable.encode(text)
      let lines = encoded.components(separatedBy: "\r\n")
      #expect(lines.allSatisfy { $0.utf8.count <= 76 && !$0.hasSuffix(" ") && !$0.hasSuffix("\t") }, "\(encoded)")
      #expect(encoded.utf8.allSatisfy { $0 < 0x7F }, "\(encoded)")
      let decoded = MailStub.decodedQuotedPrintable(encoded)
      // Lines of the text end with LF, and lines of the mail with CRLF.
      #expect(decoded.replacing("\r\n", with: "\n") == text.replacing("\r\n", with: "\n"), "\(encoded)")
    }
  }

  @Test(
    "An address with a character of SMTP or of headers is refused",
    arguments: [
      "", "ada", "@b", "a@", "a@b@c", "a@b\r\nRCPT TO:<eve@example.org>", "a@b>", "<a@b", "a b@c", "a@b c", "a,c@b",
      "a@b;c", "\"a\"@b", "a(c)@b", "a@[127.0.0.1]", "a@login.invalid", "a@b\u{0}", "a@b\u{200B}", "a@b\u{2028}",
      "a\\@b",
      String(repeating: "a", count: 253) + "@b",
    ])
  func badAddress(text: String) { #expect(MailAddress(text) == nil) }

  @Test("Addresses of accounts from earlier versions are accepted, also without a dot in the host")
  func address() {
    for text in ["maya@nowhere", "ada.lovelace+map@example.org", "zoë@bücher.example", ".a.@b"] {
      #expect(MailAddress(text)?.text == text)
    }
    #expect(MailAddress("ada@example.org")?.isASCII == true && MailAddress("zoë@b")?.isASCII == false)
    #expect(MailAddress("ada@example.org")?.host == "example.org")
  }
}
