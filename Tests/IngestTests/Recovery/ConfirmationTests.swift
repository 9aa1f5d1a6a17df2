import Domain
import Foundation
import StubServers
import Testing

@testable import Ingest

@Suite("Confirmation of email addresses", .bothFronts)
struct ConfirmationTests {
  private func isConfirmed(_ client: Client) async throws -> Bool? {
    let account = try await client.get("/v2/account").object
    let page = try await client.get("/v2/page").object["account"] as? [String: Any]
    #expect(account["emailConfirmed"] as? Bool == page?["emailConfirmed"] as? Bool)
    return account["emailConfirmed"] as? Bool
  }

  @Test("A sign-up sends a link that confirms the address once, without a session")
  func signUp() async throws {
    let fixture = try MailFixture()
    let signedUp = try await fixture.client.signUp("ada@example.org")
    #expect(signedUp.status == 201)
    let ada = fixture.client.with(token: signedUp["token"])
    let mail = try await fixture.mail()
    #expect(mail.header("Subject") == "Confirm your email address for On The Map")
    let token = try #require(mail.token)
    #expect(mail.link == "\(MailFixture.origin)/confirm#\(token)")
    #expect(try await isConfirmed(ada) == false)
    #expect(try await fixture.recover(token)["code"] == "invalid_token", "The link sets no password.")
    #expect(try await fixture.confirm(token).status == 204)
    #expect(try await isConfirmed(ada) == true)
    #expect(try await fixture.confirm(token)["code"] == "invalid_token")
    #expect(fixture.map.logged.contains("event=email_confirmed") && !fixture.map.logged.contains(token))
    #expect(try await ada.send("POST", "/v2/account/confirmation").status == 204)
    #expect(fixture.stub.messages.count == 1)
  }

  @Test("The owner requests another mail, within the limits of mails")
  func again() async throws {
    let fixture = try MailFixture()
    let ada = try await fixture.client.signedUp()
    #expect(try await fixture.client.send("POST", "/v2/account/confirmation").status == 401)
    for number in 0..<3 {
      let requested = try await ada.send("POST", "/v2/account/confirmation", headers: ["Accept-Language": "de"])
      #expect(requested.status == 202 && requested.object["validSeconds"] as? Int == 86_400)
      #expect(try await fixture.mail(number).header("Content-Language") == "de")
    }
    #expect(try await ada.send("POST", "/v2/account/confirmation")["code"] == "too_many_mails")
    #expect(try await fixture.confirm(try await fixture.mail(1).token).status == 204)
    #expect(try await fixture.confirm(try await fixture.mail(2).token)["code"] == "invalid_token")
  }

  @Test("A new address is not confirmed, and its own link confirms it")
  func newAddress() async throws {
    let fixture = try MailFixture()
    let ada = try await fixture.client.signedUp()
    _ = try await ada.send("POST", "/v2/account/confirmation")
    let first = try await fixture.mail().token
    let body = JSON.object(["email": "new@example.org", "currentPassword": Client.password])
    #expect(try await ada.send("PATCH", "/v2/account", body: body).status == 200)
    let mail = try await fixture.mail(1)
    #expect(mail.recipient == "new@example.org")
    #expect(try await fixture.confirm(first)["code"] == "invalid_token")
    #expect(try await fixture.confirm(mail.token).status == 204)
    #expect(try await isConfirmed(ada) == true)
    #expect(try await ada.send("PATCH", "/v2/account", body: #"{"firstName": "Augusta"}"#).status == 200)
    #expect(try await isConfirmed(ada) == true, "A new name must keep the confirmation.")
  }

  private func change(_ email: String, _ client: Client) async throws {
    let body = JSON.object(["email": email, "currentPassword": Client.password])
    #expect(try await client.send("PATCH", "/v2/account", body: body).status == 200)
  }

  @Test("An account that changes its address again and again sends three mails, also on request")
  func floods() async throws {
    let fixture = try MailFixture()
    let ada = try await fixture.client.signedUp()
    for number in 0..<5 { try await change("stranger\(number)@example.org", ada) }
    #expect(try await ada.send("POST", "/v2/account/confirmation")["code"] == "too_many_mails")
    _ = try await fixture.client.signedUp(as: "grace@example.org")
    #expect(try await fixture.requestRecovery("grace@example.org").status == 202)
    _ = try await fixture.mail(3)
    let strangers = (0..<3).map { "stranger\($0)@example.org" }
    #expect(Set(fixture.stub.messages.map(\.recipient)) == Set(strangers + ["grace@example.org"]))
  }

  @Test("An address gets three mails, however many accounts claim it")
  func claimed() async throws {
    let fixture = try MailFixture()
    for number in 0..<4 {
      let account = try await fixture.client.signedUp(as: "old\(number)@example.org")
      try await change("victim@example.org", account)
      try await change("new\(number)@example.org", account)
    }
    _ = try await fixture.mail(6)
    let recipients = fixture.stub.messages.map(\.recipient)
    #expect(recipients.count { $0 == "victim@example.org" } == 3 && recipients.count { $0.hasPrefix("new") } == 4)
  }

  @Test("An account of an operator is confirmed")
  func operatorAccount() async throws {
    let fixture = try MailFixture { $0.requiresConfirmedEmail = true }
    let request = AdminRequest.addUser(
      NewUser(email: "grace@example.org", firstName: "Grace", lastName: "", password: "a long password"))
    _ = try await fixture.map.components.admin.reply(to: request, from: AccountID(rawValue: 0))
    let login = try await fixture.client.logIn("grace@example.org", password: "a long password")
    let grace = fixture.client.with(token: login["token"])
    #expect(try await isConfirmed(grace) == true)
    #expect(try await grace.post("Oslo").status == 202)
    #expect(fixture.stub.connectionCount == 0)
  }

  @Test("An account without a required confirmation reads and deletes, and does not post")
  func required() async throws {
    let fixture = try MailFixture { $0.requiresConfirmedEmail = true }
    let ada = try await fixture.client.signedUp()
    let app = CompatApp(fixture.client)
    try await app.logIn()
    _ = try await ada.send("POST", "/v2/account/confirmation")
    let bulk = JSON.object(["place": "Oslo", "link": "example.org"])
    let refused = [
      try await ada.post("Oslo"), try await ada.post("Oslo", key: "a", wait: 5),
      try await ada.send("POST", "/v2/posts/bulk", body: bulk), try await ada.edit("4DGCsWH3se", "Oslo"),
    ]
    for response in refused { #expect(response.status == 403 && response["code"] == "email_unconfirmed") }
    let compat = try await app.post()
    #expect(compat.status == 403 && compat.object["code"] as? Int == 119)
    #expect(try await ada.posts().isEmpty)
    #expect(try await ada.get("/v2/account").status == 200)
    #expect(try await ada.delete("4DGCsWH3se").status == 404)

    #expect(try await fixture.confirm(try await fixture.mail().token).status == 204)
    let post = try await ada.post("Oslo", wait: 30)
    #expect(post.status == 200 && post["state"] == "published")
    let id = try #require(post["id"])
    let body = JSON.object(["email": "new@example.org", "currentPassword": Client.password])
    #expect(try await ada.send("PATCH", "/v2/account", body: body).status == 200)
    #expect(try await ada.edit(id, "Rome")["code"] == "email_unconfirmed")
    #expect(try await ada.post("Rome")["code"] == "email_unconfirmed")
    #expect(try await ada.delete(id).status == 204)
  }

  @Test("Accounts from before the program knew confirmations may post")
  func upgrade() async throws {
    let before = try MailFixture()
    let ada = try await before.client.signedUp()
    let sql = """
      DROP TABLE mail_token;
      ALTER TABLE account DROP COLUMN email_confirmed;
      DELETE FROM grdb_migrations WHERE identifier LIKE '11 %';
      """
    let map = try before.map.restarted(after: sql) { $0.requiresConfirmedEmail = true }
    let client = map.client.with(token: ada.token)
    #expect(try await isConfirmed(client) == true)
    #expect(try await client.post("Oslo").status == 202)
  }
}
