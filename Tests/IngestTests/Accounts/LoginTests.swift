import Domain
import Foundation
import Testing

@testable import Ingest

@Suite("Logging in")
struct LoginTests {
  /// Through a proxy at this address, which says for whom it asks.
  private func up() throws -> IngestFixture {
    try IngestFixture { $0.proxies = TrustedProxies([try #require(AddressRange("127.0.0.1"))]) }
  }

  private func logIn(
    _ client: Client, _ email: String = "ada@example.org", password: String = "not the password", from address: String
  ) async throws -> APIResponse {
    try await client.send(
      "POST", "/v2/session", body: JSON.object(["email": email, "password": password]),
      headers: ["X-Forwarded-For": address])
  }

  /// Tries until it is held up. Five are free, and the first pause is 1 s, for which a busy machine may compute a hash;
  /// each is twice as long as the one before.
  ///
  /// - Returns: how many were wrong, and the answer to the one that came too early.
  private func holdUp(_ guess: () async throws -> APIResponse) async throws -> (wrong: Int, answer: APIResponse) {
    var wrong = 0
    while wrong < 12 {
      let answer = try await guess()
      guard answer.status == 403 else {
        #expect(answer.status == 429 && answer["code"] == "too_many_logins", "\(answer.status)")
        return (wrong, answer)
      }
      wrong += 1
    }
    throw TimeoutError(description: "nobody was held up")
  }

  @Test("Who guesses waits longer and longer, and learns nothing; whom the account belongs to logs in from elsewhere")
  func guesses() async throws {
    let map = try up()
    let client = map.client
    #expect(try await client.signUp("ada@example.org").status == 201)
    let unknown = try await holdUp { try await logIn(client, "nobody@example.org", from: "203.0.113.5") }.answer
    let last = try await eventually("the right password is held up too") { () -> (wrong: Int, answer: APIResponse)? in
      let held = try await holdUp { try await logIn(client, from: "203.0.113.5") }
      // On a slow machine the pause may be over by now. Then the right password makes the next five free.
      let right = try await logIn(client, password: Client.password, from: "203.0.113.5")
      return right.status == 429 ? held : nil
    }
    let (wrong, held) = (last.wrong, last.answer)
    #expect(unknown.status == held.status && unknown["title"] == held["title"] && unknown["code"] == held["code"])
    #expect(wrong > 5 || wrong == 5 && held.headers["retry-after"] == "1", "\(wrong)")
    #expect(try await logIn(client, password: Client.password, from: "203.0.113.6").status == 200)
    // After the pause one try is free, and the right one ends it all.
    try await eventually("The pause ends") {
      try await logIn(client, password: Client.password, from: "203.0.113.5").status == 200
    }
    #expect(try await logIn(client, from: "203.0.113.5").status == 403)
  }

  @Test("The pauses stand after a restart, and for the API of the original service too")
  func restart() async throws {
    var map = try up()
    for _ in 0..<5 { #expect(try await logIn(map.client, from: "203.0.113.5").status == 403) }
    // Whoever comes too early changes nothing: eight pauses are ever longer, and known by their ends.
    for _ in 0..<3 {
      try await eventually("The pause ends") { try await logIn(map.client, from: "203.0.113.5").status == 403 }
    }
    // The count is on disk with the next commit.
    _ = try await map.client.signedUp(as: "bob@example.org")
    map = try map.restarted()
    // A slow machine outlasts a pause; the next one is twice as long. Without the count five would be free again.
    let wrong = try await holdUp { try await logIn(map.client, from: "203.0.113.5") }.wrong
    #expect(wrong < 5)
    func classicLogin() async throws -> APIResponse {
      let body = #"{"udacity": {"username": "ada@example.org", "password": "x"}}"#
      return try await map.client.send(
        "POST", "/v1/session", body: body, headers: ["X-Forwarded-For": "203.0.113.5"])
    }
    var classic = try await classicLogin()
    for _ in 0..<4 where classic.status == 403 { classic = try await classicLogin() }
    #expect(classic.status == 429 && classic.headers["retry-after"] != nil)
    let text = String(decoding: classic.body, as: UTF8.self)
    #expect(text.hasPrefix(")]}'\n{\"status\":429,\"code\":155,\"error\":\"Too many"), "\(text)")
  }

  @Test("Who says that he asks for somebody else is believed only where he is a proxy that is named")
  func notTrusted() async throws {
    let client = try IngestFixture().client
    _ = try await holdUp { try await logIn(client, from: "203.0.113.\(Int.random(in: 0..<250))") }
  }

  @Test("A class behind one address signs up at once, and logs in at once; each has the next number")
  func schoolClass() async throws {
    let client = try up().client
    let count = 70
    // Where ingest is too slow for all of them, each asks again after the pause that ingest names.
    func all(_ ask: @escaping @Sendable (Int) async throws -> APIResponse) async throws -> [APIResponse] {
      try await withThrowingTaskGroup(of: APIResponse.self) { group in
        for pupil in 0..<count {
          group.addTask {
            try await eventually("pupil \(pupil) is answered", within: .seconds(300)) { () -> APIResponse? in
              let answer = try await ask(pupil)
              guard answer.status == 503 else { return answer }
              let pause = try #require(Int(answer.headers["retry-after"] ?? ""))
              try await Task.sleep(for: .seconds(pause))
              return nil
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    let made = try await all { try await client.signUp("\($0)@example.org") }
    #expect(made.allSatisfy { $0.status == 201 }, "\(made.map(\.status))")
    // More logins than an address has free wrong passwords: right passwords do not count.
    let loggedIn = try await all {
      try await logIn(client, "\($0)@example.org", password: Client.password, from: "2001:db8::\($0)")
    }
    #expect(loggedIn.allSatisfy { $0.status == 200 }, "\(loggedIn.map(\.status))")
    let numbers = made.compactMap { ($0.object["account"] as? [String: Any])?["id"] as? String }.compactMap { Int($0) }
    #expect(numbers.sorted() == Array(1...count))
    #expect(try await client.signUp("5@example.org")["code"] == "email_taken")
    let next = try await client.signUp("next@example.org")
    #expect((next.object["account"] as? [String: Any])?["id"] as? String == "\(count + 1)", "A refused one uses none.")
  }

  private func source(_ address: String) -> LoginSource { LoginSource(address: IPAddress(address), agent: "") }

  @Test("A network that makes accounts without end is refused, and makes none; another one is not")
  func signUps() async throws {
    let map = try up()
    func signUp(_ name: String, from address: String) async throws -> APIResponse {
      let body = JSON.object(["email": "\(name)@example.org", "password": Client.password, "firstName": "Eve"])
      return try await map.client.send("POST", "/v2/accounts", body: body, headers: ["X-Forwarded-For": address])
    }
    for _ in 1..<Limits.signUpsOfNetworkMax { try map.components.signUps.consume(source("203.0.113.5")) }
    #expect(try await signUp("last", from: "203.0.113.5").status == 201)
    #expect(try await signUp("last", from: "203.0.113.6").status == 409)
    // On a busy machine a place may have come back meanwhile, which takes a minute.
    while (try? map.components.signUps.consume(source("203.0.113.5"))) != nil {}
    let refused = try await signUp("more", from: "203.0.113.5")
    #expect(refused.status == 429 && refused["code"] == "too_many_sign_ups")
    #expect(Int(refused.headers["retry-after"] ?? "").map { (1...60).contains($0) } == true)
    #expect(try await map.users().count == 1)
    #expect(try await signUp("other", from: "203.0.113.6").status == 201)
    // A sign-up that comes to nothing gives its place back.
    map.components.signUps.refund(source("203.0.113.5"))
    #expect(try await signUp("more", from: "203.0.113.5").status == 201)
  }

  @Test("Strangers at a hundred addresses do not keep somebody out from where he is logged in")
  func lockOut() async throws {
    let map = try up()
    _ = try await map.account("ada@example.org")
    #expect(try await logIn(map.client, password: Client.password, from: "2001:db8::1").status == 200)
    let tries = map.components.providers.logins.loginGuard
    for turn in 0..<100 {
      let target = try await tries.target(email: "ada@example.org", from: source("203.0.113.\(turn)"))
      if let tried = try? tries.begin(target) { tries.failed(tried) }
    }
    // Each wrong password doubles the account's pause, which begins at 1 s.
    var stranger = 0
    try await eventually("the account is held up") {
      stranger += 1
      return try await logIn(map.client, from: "198.51.100.\(stranger % 250)").status == 429
    }
    #expect(try await logIn(map.client, password: Client.password, from: "2001:db8::1:2:3").status == 200)
  }

  @Test("A stolen session is no way to guess the password, and the log has who tried, and nothing that was typed")
  func audit() async throws {
    let map = try up()
    let ada = try await map.client.signedUp()
    let body = JSON.object(["currentPassword": "guessed-secret"])
    #expect(try await ada.send("DELETE", "/v2/account", body: body)["code"] == "wrong_password")
    let wrong = try await holdUp { try await ada.send("DELETE", "/v2/account", body: body) }.wrong + 1
    #expect(try await logIn(map.client, "typed-secret@example.org", from: "203.0.113.5").status == 403)
    #expect(try await map.client.signUp("bob@example.org").status == 201)
    let bob = try await logIn(map.client, "bob@example.org", password: "another-secret", from: "203.0.113.6")
    #expect(bob.status == 403)
    _ = try await ada.send("DELETE", "/v2/session")
    let lines = map.logged.split(separator: "\n").filter { $0.contains("audit") }
    for (event, count) in [
      ("event=account_created", 1), ("event=password_refused", wrong), ("event=login_held_up", 1),
      ("event=login_refused", 2), ("event=logged_out", 1),
    ] { #expect(lines.count { $0.contains(event) } == count, "\(event): \(lines)") }
    let refused = lines.filter { $0.contains("login_refused") }
    #expect(refused.first?.contains("address=203.0.113.5") == true && refused.first?.contains("account=") == false)
    #expect(refused.last?.contains("address=203.0.113.6") == true && refused.last?.contains("account=2") == true)
    #expect(lines.contains { $0.contains("logged_out") && $0.contains("account=1") })
    for secret in ["guessed-secret", "typed-secret", "another-secret", Client.password, try #require(ada.token)] {
      #expect(!map.logged.contains(secret))
    }
  }

  @Test("Where sign-up is closed, nobody makes an account alone")
  func closed() async throws {
    let client = try IngestFixture { $0.isSignUpOpen = false }.client
    let answer = try await client.signUp("ada@example.org")
    #expect(answer.status == 403 && answer["code"] == "sign_up_closed")
    #expect(try await client.logIn("ada@example.org").status == 403)
  }

  @Test("A session shows where it began and with what")
  func source() async throws {
    let client = try up().client
    #expect(try await client.signUp("ada@example.org").status == 201)
    let session = try await client.send(
      "POST", "/v2/session", body: JSON.object(["email": "ada@example.org", "password": Client.password]),
      headers: ["X-Forwarded-For": "1.1.1.1, 2001:db8::7", "User-Agent": "OnTheMap/1.0 iOS"])
    var ada = client
    let token = try #require(session["token"])
    ada.token = token
    let sessions = try await ada.get("/v2/sessions").object["sessions"] as? [[String: Any]]
    #expect(sessions?[0]["address"] as? String == "2001:db8::7")
    #expect(sessions?[0]["agent"] as? String == "OnTheMap/1.0 iOS")
    #expect(sessions?[1]["address"] as? String == "127.0.0.1")
  }

  @Test("A password may have anything in it, to its last byte")
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
    #expect(refused["detail"]?.contains("tried first") == true)
  }
}
