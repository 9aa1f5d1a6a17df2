import Foundation
import StubServers
import Testing

@Suite("Recovery by mail", .fixture)
struct RecoveryTests {
  private static let origin = "http://map.example.org"

  /// The settings of mail for a stub server.
  private func settings(_ stub: MailStub) -> [String: String] {
    [
      "ONTHEMAP_SMTP_URL": stub.url, "ONTHEMAP_SMTP_USER": "map", "ONTHEMAP_SMTP_PASSWORD": "hunter2",
      "ONTHEMAP_MAIL_FROM": "map@example.org", "ONTHEMAP_PUBLIC_URL": Self.origin, "ONTHEMAP_LOG_LEVEL": "trace",
    ]
  }

  private func mail(_ number: Int, _ stub: MailStub) async throws -> MailStub.Message {
    try await eventually("mail \(number) has arrived") {
      stub.messages.count > number ? stub.messages[number] : nil
    }
  }

  private func requestRecovery(_ client: Client, _ email: String) async throws -> APIResponse {
    try await client.send("POST", "/v2/recovery", body: JSON.object(["email": email]))
  }

  private func recover(_ client: Client, _ token: String, _ password: String) async throws -> APIResponse {
    try await client.send("PUT", "/v2/recovery", body: JSON.object(["token": token, "password": password]))
  }

  @Test("A forgotten password is replaced by the link in a mail, which works once and ends the old sessions")
  func recovery() async throws {
    let stub = try MailStub(extensions: ["AUTH PLAIN"])
    SystemFixture.current.keep(stub)
    let map = try await SystemFixture.current.up(environment: settings(stub))
    let client = try map.client
    let signedUp = try await client.signUp("ada@example.org")
    #expect(signedUp.status == 201)
    let confirmation = try await mail(0, stub)
    #expect(confirmation.login == "map hunter2" && confirmation.link?.hasPrefix("\(Self.origin)/confirm#") == true)
    var ada = client
    ada.token = signedUp["token"]
    #expect(try await ada.get("/v2/account").object["emailConfirmed"] as? Bool == false)
    let confirmed = try await client.send(
      "PUT", "/v2/confirmation", body: JSON.object(["token": try #require(confirmation.token)]))
    #expect(confirmed.status == 204)
    #expect(try await ada.get("/v2/account").object["emailConfirmed"] as? Bool == true)

    let unknown = try await requestRecovery(client, "nobody@example.org")
    let known = try await requestRecovery(client, "ada@example.org")
    #expect(unknown.status == 202 && known.status == 202 && unknown.body == known.body)
    let recovery = try await mail(1, stub)
    #expect(recovery.recipient == "ada@example.org" && recovery.link?.hasPrefix("\(Self.origin)/reset#") == true)
    let token = try #require(recovery.token)
    let recovered = try await recover(client, token, "a new password")
    #expect(recovered.status == 200)
    #expect(try await ada.get("/v2/account").status == 401)
    ada.token = recovered["token"]
    try await ada.expectService()
    #expect(try await client.logIn("ada@example.org").status == 403)
    #expect(try await client.logIn("ada@example.org", password: "a new password").status == 200)
    #expect(try await recover(client, token, "another password")["code"] == "invalid_token")

    let scrape = try await Scrape(try #require(try map.operations.first))
    for purpose in ["confirmation", "recovery"] {
      #expect(scrape[#"onthemap_mails_total{purpose="\#(purpose)",outcome="sent"}"#] == 1)
    }
    let log = map.ingest.standardError
    for secret in [token, "hunter2", try #require(confirmation.token)] { #expect(!log.contains(secret)) }
    #expect(log.contains("event=recovery_requested") && log.contains("event=password_recovered"))
  }

  @Test("A link survives a restart of ingest, and works once through a gateway")
  func restart() async throws {
    let stub = try MailStub(extensions: ["AUTH PLAIN"])
    SystemFixture.current.keep(stub)
    let map = try await SystemFixture.current.roles(workers: 0, gateways: 1, environment: settings(stub))
    let client = try map.gatewayClient
    #expect(try await client.signUp("ada@example.org").status == 201)
    _ = try await mail(0, stub)
    #expect(try await requestRecovery(client, "ada@example.org").status == 202)
    let token = try #require(try await mail(1, stub).token)
    try await map.ingest.kill()
    try await map.ingest.startAndWait()
    try await eventually("the gateway is connected") { try await client.get("/v2/account").status == 401 }
    #expect(try await recover(client, token, "a new password").status == 200)
    #expect(try await recover(client, token, "a new password")["code"] == "invalid_token")
    #expect(stub.messages.count == 2, "The gateway must forward each request once.")
  }
}
