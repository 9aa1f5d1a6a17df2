import Domain
import Foundation
import Testing

@testable import Ingest

@Suite("Password login", .bothFronts)
struct LoginTests {
  /// Starts ingest with 127.0.0.1 as a trusted proxy, so that tests choose client addresses.
  private func makeFixture() throws -> IngestFixture {
    try IngestFixture { $0.proxies = TrustedProxies([try #require(AddressRange("127.0.0.1"))]) }
  }

  private func logIn(
    _ client: Client, _ email: String = "ada@example.org", password: String = "not the password", from address: String
  ) async throws -> APIResponse {
    try await client.send(
      "POST", "/v2/session", body: JSON.object(["email": email, "password": password]),
      headers: ["X-Forwarded-For": address])
  }

  /// Guesses until an attempt is refused. Five attempts are free. The first pause is 1 s, about the time of one hash on
  /// a busy machine, and each pause doubles.
  ///
  /// - Returns: The number of wrong attempts, and the response to the refused one.
  private func guessUntilRefused(_ guess: () async throws -> APIResponse) async throws -> (
    wrong: Int, response: APIResponse
  ) {
    var wrong = 0
    while wrong < 12 {
      let response = try await guess()
      guard response.status == 403 else {
        #expect(response.status == 429 && response["code"] == "too_many_logins", "\(response.status)")
        return (wrong, response)
      }
      wrong += 1
    }
    throw TimeoutError(description: "no attempt was refused")
  }

  @Test("A guesser waits longer each time and learns nothing, and the owner logs in from elsewhere")
  func guesses() async throws {
    let map = try makeFixture()
    let client = map.client
    #expect(try await client.signUp("ada@example.org").status == 201)
    let unknown = try await guessUntilRefused { try await logIn(client, "nobody@example.org", from: "203.0.113.5") }
      .response
    let last = try await eventually("the right password is refused too") { () -> (wrong: Int, response: APIResponse)? in
      let refusal = try await guessUntilRefused { try await logIn(client, from: "203.0.113.5") }
      // On a slow machine the pause may be over by now. Then the right password frees the next five attempts.
      let right = try await logIn(client, password: Client.password, from: "203.0.113.5")
      return right.status == 429 ? refusal : nil
    }
    let (wrong, refused) = (last.wrong, last.response)
    #expect(unknown.status == refused.status)
    #expect(unknown["title"] == refused["title"] && unknown["code"] == refused["code"])
    #expect(wrong > 5 || wrong == 5 && refused.headers["retry-after"] == "1", "\(wrong)")
    #expect(try await logIn(client, password: Client.password, from: "203.0.113.6").status == 200)
    // After the pause one attempt is free, and the right password resets the count.
    try await eventually("the pause ends") {
      try await logIn(client, password: Client.password, from: "203.0.113.5").status == 200
    }
    #expect(try await logIn(client, from: "203.0.113.5").status == 403)
  }

  @Test("Login pauses survive a restart and apply to the compatibility API too")
  func restart() async throws {
    var map = try makeFixture()
    for _ in 0..<5 { #expect(try await logIn(map.client, from: "203.0.113.5").status == 403) }
    // An early attempt changes nothing. Each of the three pauses is longer than the one before.
    for _ in 0..<3 {
      try await eventually("the pause ends") { try await logIn(map.client, from: "203.0.113.5").status == 403 }
    }
    // The next commit makes the count durable.
    _ = try await map.client.signedUp(as: "bob@example.org")
    map = try map.restarted()
    // A pause may end on a slow machine, and the next one is twice as long. Without the count five attempts would be
    // free.
    let wrong = try await guessUntilRefused { try await logIn(map.client, from: "203.0.113.5") }.wrong
    #expect(wrong < 5)
    func compatLogIn() async throws -> APIResponse {
      let body = #"{"udacity": {"username": "ada@example.org", "password": "x"}}"#
      return try await map.client.send(
        "POST", "/v1/session", body: body, headers: ["X-Forwarded-For": "203.0.113.5"])
    }
    var compat = try await compatLogIn()
    for _ in 0..<4 where compat.status == 403 { compat = try await compatLogIn() }
    #expect(compat.status == 429 && compat.headers["retry-after"] != nil)
    let text = String(decoding: compat.body, as: UTF8.self)
    #expect(text.hasPrefix(")]}'\n{\"status\":429,\"code\":155,\"error\":\"Too many"), "\(text)")
  }

  @Test("X-Forwarded-For from an untrusted peer is ignored")
  func notTrusted() async throws {
    let client = try IngestFixture().client
    _ = try await guessUntilRefused { try await logIn(client, from: "203.0.113.\(Int.random(in: 0..<250))") }
  }

  @Test("Seventy clients behind one address sign up and log in together, with consecutive ids")
  func schoolClass() async throws {
    let client = try makeFixture().client
    let count = 70
    // If ingest is too slow for all of them, each client retries after the pause that ingest names.
    func all(_ send: @escaping @Sendable (Int) async throws -> APIResponse) async throws -> [APIResponse] {
      try await withThrowingTaskGroup(of: APIResponse.self) { group in
        for number in 0..<count {
          group.addTask {
            try await eventually("client \(number) gets a response", within: .seconds(300)) { () -> APIResponse? in
              let response = try await send(number)
              guard response.status == 503 else { return response }
              let pause = try #require(Int(response.headers["retry-after"] ?? ""))
              try await Task.sleep(for: .seconds(pause))
              return nil
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    let signedUp = try await all { try await client.signUp("\($0)@example.org") }
    #expect(signedUp.allSatisfy { $0.status == 201 }, "\(signedUp.map(\.status))")
    // More logins than an address has free attempts: right passwords do not count.
    let loggedIn = try await all {
      try await logIn(client, "\($0)@example.org", password: Client.password, from: "2001:db8::\($0)")
    }
    #expect(loggedIn.allSatisfy { $0.status == 200 }, "\(loggedIn.map(\.status))")
    let ids = signedUp.compactMap { ($0.object["account"] as? [String: Any])?["id"] as? String }
    let numbers = ids.compactMap { Int($0) }
    #expect(numbers.sorted() == Array(1...count))
    #expect(try await client.signUp("5@example.org")["code"] == "email_taken")
    let next = try await client.signUp("next@example.org")
    #expect(
      (next.object["account"] as? [String: Any])?["id"] as? String == "\(count + 1)",
      "A refused sign-up must use no id.")
  }

  private func source(_ address: String) -> LoginSource { LoginSource(address: IPAddress(address), agent: "") }

  @Test("A network with too many sign-ups is refused, and other networks are not")
  func signUps() async throws {
    let map = try makeFixture()
    func signUp(_ name: String, from address: String) async throws -> APIResponse {
      let body = JSON.object(["email": "\(name)@example.org", "password": Client.password, "firstName": "Eve"])
      return try await map.client.send("POST", "/v2/accounts", body: body, headers: ["X-Forwarded-For": address])
    }
    for _ in 1..<Limits.signUpsOfNetworkMax { try map.components.signUps.consume(source("203.0.113.5")) }
    #expect(try await signUp("last", from: "203.0.113.5").status == 201)
    #expect(try await signUp("last", from: "203.0.113.6").status == 409)
    // On a busy machine a slot may be free again, which takes a minute.
    while (try? map.components.signUps.consume(source("203.0.113.5"))) != nil {}
    let refused = try await signUp("more", from: "203.0.113.5")
    #expect(refused.status == 429 && refused["code"] == "too_many_sign_ups")
    #expect(Int(refused.headers["retry-after"] ?? "").map { (1...60).contains($0) } == true)
    #expect(try await map.users().count == 1)
    #expect(try await signUp("other", from: "203.0.113.6").status == 201)
    // A failed sign-up releases its slot.
    map.components.signUps.refund(source("203.0.113.5"))
    #expect(try await signUp("more", from: "203.0.113.5").status == 201)
  }

  @Test("Attempts from a hundred addresses do not lock out the owner's own network")
  func lockOut() async throws {
    let map = try makeFixture()
    _ = try await map.account("ada@example.org")
    #expect(try await logIn(map.client, password: Client.password, from: "2001:db8::1").status == 200)
    let loginGuard = map.components.providers.logins.loginGuard
    for host in 0..<100 {
      let target = try await loginGuard.target(email: "ada@example.org", from: source("203.0.113.\(host)"))
      if let attempt = try? loginGuard.begin(target) { loginGuard.failed(attempt) }
    }
    // Each wrong password doubles the account's pause, which starts at 1 s.
    var stranger = 0
    try await eventually("the account is rate limited") {
      stranger += 1
      return try await logIn(map.client, from: "198.51.100.\(stranger % 250)").status == 429
    }
    #expect(try await logIn(map.client, password: Client.password, from: "2001:db8::1:2:3").status == 200)
  }

  @Test("Password checks in a session are limited, and the audit log holds no typed text")
  func audit() async throws {
    let map = try makeFixture()
    let ada = try await map.client.signedUp()
    let body = JSON.object(["currentPassword": "guessed-secret"])
    #expect(try await ada.send("DELETE", "/v2/account", body: body)["code"] == "wrong_password")
    let wrong = try await guessUntilRefused { try await ada.send("DELETE", "/v2/account", body: body) }.wrong + 1
    #expect(try await logIn(map.client, "typed-secret@example.org", from: "203.0.113.5").status == 403)
    #expect(try await map.client.signUp("bob@example.org").status == 201)
    let bob = try await logIn(map.client, "bob@example.org", password: "another-secret", from: "203.0.113.6")
    #expect(bob.status == 403)
    _ = try await ada.send("DELETE", "/v2/session")
    let lines = map.logged.split(separator: "\n").filter { $0.contains("audit") }
    for (event, count) in [
      ("event=account_created", 1), ("event=password_check_failed", wrong), ("event=login_rate_limited", 1),
      ("event=login_failed", 2), ("event=logged_out", 1),
    ] { #expect(lines.count { $0.contains(event) } == count, "\(event): \(lines)") }
    let refused = lines.filter { $0.contains("login_failed") }
    #expect(refused.first?.contains("address=203.0.113.5") == true && refused.first?.contains("account=") == false)
    #expect(refused.last?.contains("address=203.0.113.6") == true && refused.last?.contains("account=2") == true)
    #expect(lines.contains { $0.contains("logged_out") && $0.contains("account=1") })
    for secret in ["guessed-secret", "typed-secret", "another-secret", Client.password, try #require(ada.token)] {
      #expect(!map.logged.contains(secret))
    }
  }

  @Test("A closed sign-up refuses new accounts")
  func closed() async throws {
    let client = try IngestFixture { $0.isSignUpOpen = false }.client
    let response = try await client.signUp("ada@example.org")
    #expect(response.status == 403 && response["code"] == "sign_up_closed")
    #expect(try await client.logIn("ada@example.org").status == 403)
  }

  @Test("A session shows its address and user agent")
  func source() async throws {
    let client = try makeFixture().client
    #expect(try await client.signUp("ada@example.org").status == 201)
    let session = try await client.send(
      "POST", "/v2/session", body: JSON.object(["email": "ada@example.org", "password": Client.password]),
      headers: ["X-Forwarded-For": "1.1.1.1, 2001:db8::7", "User-Agent": "OnTheMap/1.0 iOS"])
    var ada = client
    let token = try #require(session["token"])
    ada.token = token
    let sessions = try await ada.get("/v2/sessions").object["sessions"] as? [[String: Any]]
    #expect(sessions?[0]["address"] as? String == "2001:db8::7")
    #expect(sessions?[0]["userAgent"] as? String == "OnTheMap/1.0 iOS")
    #expect(sessions?[1]["address"] as? String == "127.0.0.1")
  }

  @Test("A password may contain any bytes, and all of them count")
  func passwords() async throws {
    let client = try IngestFixture().client
    for (index, password) in [
      "nul\0nul\0one", "🦜🦜🦜", " blanks at both ends ", String(repeating: "ä", count: 512),
    ].enumerated() {
      let email = "\(index)@example.org"
      let body = JSON.object(["email": email, "password": password, "firstName": "Ada"])
      #expect(try await client.send("POST", "/v2/accounts", body: body).status == 201)
      #expect(try await client.logIn(email, password: password).status == 200)
      #expect(try await client.logIn(email, password: String(password.dropLast())).status == 403)
      #expect(try await client.logIn(email, password: password + "!").status == 403)
    }
    let common = JSON.object(["email": "e@example.org", "password": "Password1", "firstName": "Eve"])
    let refused = try await client.send("POST", "/v2/accounts", body: common)
    #expect(refused.status == 422 && refused["code"] == "invalid_password")
    #expect(refused["detail"]?.contains("too common") == true)
  }
}
