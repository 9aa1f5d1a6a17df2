import Testing

@Suite("Retries of the command post", .fixture)
struct PostRetryTests {
  private static let session = (status: "200 OK", body: #"{"token": "t"}"#)
  private static let accepted = (status: "202 Accepted", body: #"{"id": "4D5ox566Xg", "state": "queued"}"#)
  private static let busy = (status: "503 Service Unavailable", body: #"{"code": "busy", "detail": "too much"}"#)

  private func post(_ server: ScriptedServer) async throws -> (status: Int32, output: String, log: String) {
    try await SystemFixture.current.run(
      "post", "--user", "ada@example.org", "--place", "Oslo", "--link", "example.org",
      environment: ["ONTHEMAP_PASSWORD": "pw", "ONTHEMAP_SERVER": "http://127.0.0.1:\(server.port)"])
  }

  @Test("The command post retries under the same key until it gets a response")
  func again() async throws {
    let server = try ScriptedServer([Self.session, nil, Self.busy, nil, Self.accepted])
    defer { server.end() }
    let (status, output, log) = try await post(server)
    let message = "4D5ox566Xg is accepted. Its state is under My posts at http://127.0.0.1:\(server.port)/#posts\n"
    #expect(status == 0 && output == message, "\(log)")
    let keys = server.values(of: "Idempotency-Key", to: "POST /v2/posts")
    #expect(keys.count == 4 && Set(keys).count == 1 && keys[0].count == 36, "\(server.requests)")
    #expect(Set(server.values(of: "Authorization", to: "POST /v2/posts")) == ["Bearer t"])
  }

  @Test("The command post does not retry a refused post, and stops failing retries after a few seconds")
  func givesUp() async throws {
    let refusing = try ScriptedServer([
      Self.session, (status: "422 Unprocessable Content", body: #"{"detail": "link must be a link"}"#),
    ])
    defer { refusing.end() }
    let refused = try await post(refusing)
    #expect(refused.status > 0 && refused.log.contains("link must be a link"))
    #expect(refusing.requests.count == 2)

    let failing = try ScriptedServer([Self.session, Self.busy])
    defer { failing.end() }
    let failed = try await post(failing)
    #expect(failed.status > 0 && failed.output.isEmpty && failed.log.contains("too much"))
    let keys = failing.values(of: "Idempotency-Key", to: "POST /v2/posts")
    #expect(keys.count > 3 && Set(keys).count == 1)

    let absent = try ScriptedServer([Self.session, nil])
    defer { absent.end() }
    let lost = try await post(absent)
    #expect(lost.status > 0 && lost.log.contains("cannot reach http://127.0.0.1:\(absent.port)"))
  }
}
