import Domain
import Foundation
import Mail
import Store
import StubServers
import Testing

@testable import Ingest

@Suite("Recovery by mail", .bothFronts)
struct RecoveryTests {
  @Test("The link in a mail sets a new password once, ends all sessions, and starts a new one")
  func recovery() async throws {
    let fixture = try MailFixture()
    let ada = try await fixture.client.signedUp()
    let requested = try await fixture.requestRecovery(" Ada@Example.org ")
    #expect(requested.status == 202 && requested.object["validSeconds"] as? Int == 1_800)
    let mail = try await fixture.mail()
    #expect(mail.sender == "map@example.org" && mail.recipient == "ada@example.org")
    #expect(mail.header("To") == "ada@example.org", "A stranger may have chosen the name.")
    #expect(mail.header("Subject") == "Set a new password for On The Map" && mail.header("Content-Language") == "en")
    let token = try #require(mail.token)
    #expect(mail.link == "\(MailFixture.origin)/reset#\(token)" && token.utf8.count == 43)

    #expect(try await fixture.recover(token, password: "password")["code"] == "invalid_password")
    #expect(try await ada.get("/v2/account").status == 200, "A refused password must change nothing.")
    let recovered = try await fixture.recover(token)
    #expect(recovered.status == 200 && recovered.headers["set-cookie"]?.hasPrefix("otm=") == true)
    let account = try #require(recovered.object["account"] as? [String: Any])
    #expect(account["email"] as? String == "ada@example.org" && account["emailConfirmed"] as? Bool == true)
    #expect(try await ada.get("/v2/account").status == 401)
    #expect(try await fixture.client.with(token: recovered["token"]).get("/v2/account").status == 200)
    #expect(try await fixture.client.logIn("ada@example.org").status == 403)
    #expect(try await fixture.client.logIn("ada@example.org", password: "a new password").status == 200)

    let again = try await fixture.recover(token, password: "another password")
    #expect(again.status == 422 && again["code"] == "invalid_token" && again["field"] == "token")
    #expect(try await fixture.client.logIn("ada@example.org", password: "a new password").status == 200)
    for event in ["recovery_requested", "password_recovered"] {
      #expect(fixture.map.logged.contains("event=\(event)"), "\(fixture.map.logged)")
    }
    #expect(!fixture.map.logged.contains(token))
  }

  @Test("The response is the same for every address, and only an account that may log in gets a mail")
  func unknown() async throws {
    let fixture = try MailFixture()
    _ = try await fixture.client.signedUp()
    _ = try await fixture.client.signedUp(as: "eve@example.org")
    let eve = try await fixture.map.account("eve@example.org").id
    try await fixture.map.components.database.set(eve, .disabled(sinceMs: 1))
    var responses: [APIResponse] = []
    for email in ["nobody@example.org", "eve@example.org", "ada@example.org"] {
      responses.append(try await fixture.requestRecovery(email))
    }
    #expect(Set(responses.map { "\($0.status) \($0.text) \($0.headers.keys.sorted())" }).count == 1, "\(responses)")
    #expect(responses[0].status == 202)
    _ = try await fixture.mail()
    try await eventually("all requests are processed") {
      fixture.map.logged.components(separatedBy: "event=recovery_requested").count == 4
    }
    #expect(fixture.stub.messages.map(\.recipient) == ["ada@example.org"])
  }

  @Test("An invalid request is refused, whether or not the address has an account")
  func invalid() async throws {
    let fixture = try MailFixture()
    let cases: [(String, String, Int, String, String?)] = [
      ("POST", "{}", 422, "missing_field", "email"), ("POST", #"{"email": 5}"#, 422, "wrong_type", "email"),
      ("POST", #"{"email": "ada"}"#, 422, "invalid_email", "email"),
      ("POST", #"{"email": "ada@example.org\r\nBcc: eve@example.org"}"#, 422, "invalid_email", "email"),
      ("PUT", #"{"token": "a"}"#, 422, "missing_field", "password"),
      ("PUT", #"{"token": "a", "password": "short"}"#, 422, "invalid_password", "password"),
      ("PUT", #"{"token": "a", "password": "a-pass-word"}"#, 422, "invalid_token", "token"),
    ]
    for (method, body, status, code, field) in cases {
      let response = try await fixture.client.send(method, "/v2/recovery", body: body)
      #expect(response.status == status && response["code"] == code && response["field"] == field, "\(body)")
    }
    let unknown = try await fixture.recover(String(repeating: "a", count: 43))
    #expect(unknown.status == 422 && unknown["code"] == "invalid_token")
    let foreign = ["Sec-Fetch-Site": "cross-site"]
    #expect(try await fixture.requestRecovery(headers: foreign)["code"] == "cross_site")
    for (method, path) in [("PUT", "/v2/recovery"), ("PUT", "/v2/confirmation")] {
      #expect(try await fixture.client.send(method, path, body: "{}", headers: foreign)["code"] == "cross_site")
    }
    #expect(try await fixture.client.send("GET", "/v2/recovery").status == 405)
    #expect(fixture.stub.connectionCount == 0)
  }

  @Test("An address gets three mails in a burst, and a network sixty, with the same limit for unknown addresses")
  func limits() async throws {
    let fixture = try MailFixture()
    _ = try await fixture.client.signedUp()
    for email in ["ada@example.org", "nobody@example.org"] {
      for _ in 0..<3 { #expect(try await fixture.requestRecovery(email).status == 202) }
      let refused = try await fixture.requestRecovery(email.uppercased())
      #expect(refused.status == 429 && refused["code"] == "too_many_mails")
      #expect(Int(refused.headers["retry-after"] ?? "").map { (1_100...1_200).contains($0) } == true)
    }
    for number in 0..<54 { #expect(try await fixture.requestRecovery("\(number)@example.org").status == 202) }
    let refused = try await fixture.requestRecovery("last@example.org")
    #expect(refused.status == 429 && Int(refused.headers["retry-after"] ?? "").map { $0 <= 60 } == true)
    _ = try await fixture.mail(2)
    #expect(fixture.stub.messages.count == 3)
  }

  @Test("A new link does not end an earlier one, and the first use ends both")
  func several() async throws {
    let fixture = try MailFixture()
    _ = try await fixture.client.signedUp()
    for number in 0..<2 {
      #expect(try await fixture.requestRecovery().status == 202)
      _ = try await fixture.mail(number)
    }
    let tokens = fixture.stub.messages.map(\.token)
    #expect(try await fixture.recover(tokens[0]).status == 200)
    #expect(try await fixture.recover(tokens[1])["code"] == "invalid_token")
  }

  @Test("A change of the password or of the address ends the links of the account")
  func changed() async throws {
    let fixture = try MailFixture()
    var ada = try await fixture.client.signedUp()
    #expect(try await fixture.requestRecovery().status == 202)
    let body = JSON.object(["currentPassword": Client.password, "password": "a second password"])
    let changed = try await ada.send("PUT", "/v2/account/password", body: body)
    #expect(changed.status == 200)
    ada.token = changed["token"]
    #expect(try await fixture.recover(try await fixture.mail().token)["code"] == "invalid_token")
    #expect(try await fixture.requestRecovery().status == 202)
    let token = try await fixture.mail(1).token
    let moved = try await ada.send(
      "PATCH", "/v2/account",
      body: JSON.object(["email": "new@example.org", "currentPassword": "a second password"]))
    #expect(moved.status == 200 && moved.object["emailConfirmed"] as? Bool == false)
    #expect(try await fixture.recover(token)["code"] == "invalid_token")
    #expect(try await fixture.mail(2).recipient == "new@example.org", "The new address gets a confirmation.")
  }

  @Test("An account without a password gets one by mail, and keeps its provider")
  func passwordless() async throws {
    let fixture = try MailFixture()
    let identity = try #require(
      ProvidedIdentity(
        issuer: "https://login.example", subject: "1", email: "grace@example.org", givenName: "Grace", familyName: nil,
        name: nil))
    let database = fixture.map.components.database
    _ = try await database.account(of: identity, newEmail: "grace@example.org", unixMs: 1)
    #expect(try await fixture.requestRecovery("grace@example.org").status == 202)
    let recovered = try await fixture.recover(try await fixture.mail().token)
    #expect((recovered.object["account"] as? [String: Any])?["hasPassword"] as? Bool == true)
    let account = try await fixture.map.account("grace@example.org").id
    #expect(try await database.identities(of: account).count == 1)
  }

  @Test(
    "A mail has the language of the browser",
    arguments: [
      ("de-DE,de;q=0.9,en;q=0.8", "de", "Neues Passwort für On The Map", "30 Minuten"),
      ("es-MX", "es", "Elige una nueva contraseña para On The Map", "30 minutos"),
      ("fr", "fr", "Choisis un nouveau mot de passe pour On The Map", "30 minutes"),
      ("pt-BR", "pt", "Escolha uma nova senha para On The Map", "30 minutos"),
      ("xx", "en", "Set a new password for On The Map", "30 minutes"),
    ])
  func language(_ example: (browser: String, language: String, subject: String, duration: String)) async throws {
    let fixture = try MailFixture()
    _ = try await fixture.client.signedUp()
    _ = try await fixture.requestRecovery(headers: ["Accept-Language": example.browser])
    let mail = try await fixture.mail()
    #expect(mail.header("Subject") == example.subject && mail.header("Content-Language") == example.language)
    #expect(mail.body.contains(example.duration) && mail.link.map { mail.body.contains("\n\($0)") } == true)
  }

  @Test("Every mail exists in each language of the page, with its own words")
  func translations() {
    #expect(Set(MailLanguage.allCases.map(\.rawValue)) == Set(PageFiles.all.languages))
    let texts = MailToken.Purpose.allCases.flatMap { purpose in
      MailLanguage.allCases.map { MailText(purpose, link: "https://example.org/#token", origin: "o", in: $0) }
    }
    #expect(texts.allSatisfy { $0.body.contains("\n\nhttps://example.org/#token\n\n") && !$0.body.contains("LINK") })
    #expect(Set(texts.map(\.subject)).count == texts.count && Set(texts.map(\.body)).count == texts.count)
  }

  @Test("A mail server that fails twice delays the mail, and the link works")
  func deferred() async throws {
    let fixture = try MailFixture()
    _ = try await fixture.client.signedUp()
    fixture.stub.refuse("RCPT", with: "451 later", times: 2)
    #expect(try await fixture.requestRecovery().status == 202)
    #expect(try await fixture.recover(try await fixture.mail().token).status == 200)
    #expect(fixture.map.logged.components(separatedBy: "mail deferred").count == 3)
  }

  @Test("Recovery names the operator's contact if there is no mail server")
  func disabled() async throws {
    let contact = "https://example.org/help"
    let map = try IngestFixture(workers: 0) { $0.operatorContact = contact }
    let refused = try await map.client.send(
      "POST", "/v2/recovery", body: JSON.object(["email": "ada@example.org"]))
    #expect(refused.status == 403 && refused["code"] == "mail_disabled" && refused["detail"]?.contains(contact) == true)
    let ada = try await map.client.signedUp()
    #expect(try await ada.send("POST", "/v2/account/confirmation")["code"] == "mail_disabled")
    let login = try #require(try await map.client.get("/v2/page").object["login"] as? [String: Any])
    #expect(login["recovery"] as? String == "operator" && login["operatorContact"] as? String == contact)
    #expect(login["confirmedEmailRequired"] as? Bool == false)
    let fixture = try MailFixture { $0.requiresConfirmedEmail = true }
    let methods = try await fixture.client.get("/v2/login").object
    #expect(methods["recovery"] as? String == "mail" && methods["operatorContact"] == nil)
    #expect(methods["confirmedEmailRequired"] as? Bool == true)
  }
}
