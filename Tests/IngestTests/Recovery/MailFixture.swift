import Domain
import Ingest
import Mail
import StubServers
import Testing

/// Ingest with a mail server that records all mails.
struct MailFixture {
  static let origin = "http://localhost"

  let stub: MailStub
  let map: IngestFixture

  /// - Parameter configure: Changes the configuration, which by default has the mail server and short retries.
  init(_ configure: (inout IngestConfiguration) throws -> Void = { _ in }) throws {
    let stub = try MailStub()
    let sender = MailMessage.Mailbox(
      name: HeaderText("On The Map"), address: try #require(MailAddress("map@example.org")))
    var mail = MailConfiguration(
      server: try SMTPServer(url: stub.url, isPlaintext: nil, user: "", password: ""), sender: sender)
    mail.retryMs = 10
    self.stub = stub
    map = try IngestFixture { configuration in
      configuration.origin = MailFixture.origin
      configuration.mail = mail
      try configure(&configuration)
    }
  }

  var client: Client { map.client }

  /// Waits for the mail with this number, counted from 0.
  func mail(_ number: Int = 0) async throws -> MailStub.Message {
    try await eventually("mail \(number) has arrived") {
      stub.messages.count > number ? stub.messages[number] : nil
    }
  }

  func requestRecovery(
    _ email: String = "ada@example.org", headers: [String: String] = [:]
  ) async throws -> APIResponse {
    try await client.send("POST", "/v2/recovery", body: JSON.object(["email": email]), headers: headers)
  }

  func recover(_ token: String?, password: String = "a new password") async throws -> APIResponse {
    let body = JSON.object(["token": token ?? "", "password": password])
    return try await client.send("PUT", "/v2/recovery", body: body)
  }

  func confirm(_ token: String?) async throws -> APIResponse {
    try await client.send("PUT", "/v2/confirmation", body: JSON.object(["token": token ?? ""]))
  }
}
