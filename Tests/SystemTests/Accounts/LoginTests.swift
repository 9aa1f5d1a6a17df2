import Foundation
import Testing

@Suite("Password login", .fixture)
struct LoginTests {
  /// Starts the services with this host as a trusted proxy, so that tests choose client addresses.
  private func up() async throws -> Services {
    try await SystemFixture.current.up(environment: ["ONTHEMAP_TRUSTED_PROXIES": "127.0.0.1, ::1"])
  }

  private func logIn(
    _ client: Client, _ email: String = "ada@example.org", password: String = "not the password", from address: String
  ) async throws -> APIResponse {
    try await client.send(
      "POST", "/v2/session", body: JSON.object(["email": email, "password": password]),
      headers: ["X-Forwarded-For": address])
  }

  @Test("Invalid --trusted-proxies are refused at start")
  func proxies() async throws {
    let wrong = try await SystemFixture.current.run(
      "ingest", "--trusted-proxies", "10.0.0.1/8", "--data", SystemFixture.current.path("x"))
    #expect(wrong.status != 0)
    #expect(
      wrong.log.contains(
        """
        --trusted-proxies (ONTHEMAP_TRUSTED_PROXIES) must be addresses or networks such as 127.0.0.1,10.0.0.0/8, \
        not "10.0.0.1/8".
        """
      ))
  }

  @Test("An invalid --sign-up is refused at start")
  func signUp() async throws {
    let wrong = try await SystemFixture.current.run(
      "ingest", "--sign-up", "maybe", "--data", SystemFixture.current.path("x"))
    #expect(wrong.status != 0 && wrong.log.contains("(ONTHEMAP_SIGN_UP) must be open or closed, not \"maybe\"."))
  }

  @Test("The audit log names the operator's Unix user, and the address of a failed login")
  func audit() async throws {
    let map = try await up()
    #expect(try await map.client.signUp("ada@example.org").status == 201)
    #expect(try await logIn(try map.client, from: "203.0.113.5").status == 403)
    let promoted = try await SystemFixture.current.run(
      "user", "promote", "ada@example.org", "--data", SystemFixture.current.path("data"))
    #expect(promoted.status == 0)
    try await eventually("the promotion is logged") { map.ingest.standardError.contains("event=account_promoted") }
    let lines = map.ingest.standardError.split(separator: "\n").filter { $0.contains("audit") }
    let appointed = try #require(lines.first { $0.contains("account_promoted") })
    #expect(appointed.contains("account=1") && appointed.contains("(uid \(geteuid()))"), "\(appointed)")
    #expect(lines.contains { $0.contains("login_failed") && $0.contains("address=203.0.113.5") })
  }

  @Test("Failed logins take the same CPU time for unknown, disabled and known accounts")
  func time() async throws {
    let map = try await up()
    let client = try map.client
    for name in ["ada", "eve"] { #expect(try await client.signUp("\(name)@example.org").status == 201) }
    let ran = try await SystemFixture.current.run(
      "user", "disable", "eve@example.org", "--data", SystemFixture.current.path("data"))
    #expect(ran.status == 0)
    var ticks: [String: Int] = [:]
    // Each login has its own address, so none is rate limited.
    for turn in 0..<30 {
      for (index, name) in ["ada", "eve", "nobody"].enumerated() {
        let before = try map.ingest.cpuTicks
        let response = try await logIn(client, "\(name)@example.org", from: "203.0.\(index).\(turn)")
        ticks[name, default: 0] += try map.ingest.cpuTicks - before
        #expect(response.status == 403 && response["code"] == "bad_credentials")
      }
    }
    let (least, most) = try (#require(ticks.values.min()), #require(ticks.values.max()))
    // A login that skips the hash would take a tenth of the time.
    #expect(most < 2 * least, "\(ticks)")
  }
}
