import Domain
import Testing

@testable import Mail

@Suite("Configuration of the mail server")
struct SMTPServerTests {
  private func failure(
    _ url: String, isPlaintext: Bool? = nil, user: String = "", password: String = ""
  ) -> SMTPServer.ConfigurationError? {
    do throws(SMTPServer.ConfigurationError) {
      _ = try SMTPServer(url: url, isPlaintext: isPlaintext, user: user, password: password)
      return nil
    } catch { return error }
  }

  @Test("The scheme, the host and the operator's word select the encryption, and the scheme the port")
  func encryption() throws {
    let cases: [(url: String, isPlaintext: Bool?, encryption: SMTPServer.Encryption, port: Int)] = [
      ("smtp://mail.example.org", nil, .startTLS, 587), ("smtp://mail.example.org:25", nil, .startTLS, 25),
      ("smtp://mail.example.org", true, .plaintext, 587), ("smtp://mail.example.org", false, .startTLS, 587),
      ("smtps://mail.example.org", nil, .tls, 465), ("SMTPS://Mail.Example.org:4650/", true, .tls, 4_650),
      ("smtp://127.0.0.1:1025", nil, .plaintext, 1_025), ("smtp://localhost:25", nil, .plaintext, 25),
      ("smtp://[::1]:25", nil, .plaintext, 25), ("smtp://localhost", false, .startTLS, 587),
      ("smtp://127.0.0.1.example.org", nil, .startTLS, 587),
    ]
    for (url, isPlaintext, encryption, port) in cases {
      let server = try SMTPServer(url: url, isPlaintext: isPlaintext, user: "", password: "")
      #expect(server.encryption == encryption && server.port == port, "\(url)")
    }
    let server = try SMTPServer(url: "smtps://[::1]", isPlaintext: nil, user: "", password: "")
    #expect(server.url(clientName: "example.org") == "smtps://[::1]:465/example.org")
  }

  @Test("An invalid URL is refused")
  func url() {
    let urls = [
      "", "mail.example.org", "mail.example.org:25", "http://mail.example.org", "smtp://", "smtp:mail.example.org",
      "smtp://mail.example.org:0", "smtp://mail.example.org:65536", "smtp://u@mail.example.org",
      "smtp://u:p@mail.example.org", "smtp://mail.example.org/path", "smtp://mail.example.org?a",
      "smtp://mail.example.org#a", "smtp://mail example.org", "smtp://mail.example.org\r\n",
    ]
    for url in urls { #expect(failure(url) == .url, "\(url)") }
  }

  @Test("A password needs a user and encryption, and is in no description")
  func credentials() throws {
    let url = "smtp://mail.example.org"
    #expect(failure(url, user: "map") == .credentials && failure(url, password: "hunter2") == .credentials)
    #expect(failure(url, user: "map", password: "a\r\nb") == .credentials)
    #expect(failure(url, isPlaintext: true, user: "map", password: "hunter2") == .plaintextPassword)
    #expect(failure("smtp://127.0.0.1", user: "map", password: "hunter2") == nil)
    let server = try SMTPServer(url: url, isPlaintext: nil, user: "map", password: "hunter2")
    #expect(server.hasCredentials && !"\(server)".contains("hunter2"))
    var dumped = ""
    dump(server, to: &dumped)
    #expect(!dumped.contains("hunter2"))
  }
}
