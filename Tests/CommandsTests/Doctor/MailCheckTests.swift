import Mail
import StubServers
import Testing

@testable import Commands

@Suite("Check of the mail server")
struct MailCheckTests {
  private func check(
    _ stub: MailStub, isPlaintext: Bool? = nil, user: String = "", password: String = ""
  ) async throws -> Check {
    let sender = MailMessage.Mailbox(
      name: HeaderText("On The Map"), address: try #require(MailAddress("map@example.org")))
    let server = try SMTPServer(url: stub.url, isPlaintext: isPlaintext, user: user, password: password)
    return try #require(await MailCheck.run(MailConfiguration(server: server, sender: sender)).first)
  }

  @Test("A server that accepts the connection and the login is right, and gets no mail")
  func right() async throws {
    let stub = try MailStub(extensions: ["AUTH PLAIN"])
    let open = try await check(stub)
    #expect(
      open.verdict == .ok && open.id == "mail-server" && open.finding.hasSuffix("accepts connections, without TLS"))
    let login = try await check(stub, user: "map", password: "hunter2")
    #expect(login.verdict == .ok && login.finding.contains("accepts the login"), "\(login)")
    #expect(stub.messages.isEmpty)
    #expect(await MailCheck.run(nil).isEmpty)
  }

  @Test("A missing STARTTLS, a refused login and a closed port are failures with their own remedies")
  func wrong() async throws {
    let stub = try MailStub(extensions: ["AUTH PLAIN"])
    let plaintext = try await check(stub, isPlaintext: false)
    #expect(plaintext.verdict == .failure && plaintext.remedy?.contains("STARTTLS") == true, "\(plaintext)")
    stub.refuse("AUTH", with: "535 wrong")
    let refused = try await check(stub, user: "map", password: "hunter2")
    #expect(refused.verdict == .failure && refused.remedy?.contains("ONTHEMAP_SMTP_USER") == true, "\(refused)")
    #expect(!refused.finding.contains("hunter2"))
    stub.end()
    let closed = try await check(stub)
    #expect(closed.verdict == .failure && closed.remedy?.contains("ONTHEMAP_SMTP_URL") == true, "\(closed)")
  }
}
