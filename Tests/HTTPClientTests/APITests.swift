import Foundation
import StubServers
import Testing

@testable import HTTPClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Requests of the tools")
struct APITests {
  private func failure(of api: API) async -> FetchFailure? {
    do {
      _ = try await api.send("GET", path: "/livez")
      return nil
    } catch { return error }
  }

  private func api(_ server: StubServer) throws -> API { API(try #require(URL(string: server.url))) }

  @Test("A tool sends its token and a JSON body, and reads the members that it shows")
  func request() async throws {
    let server = try StubServer { _ in .answer(body: #"{"id":"7","state":"dead","reason":{"detail":"no such place"}}"#) }
    var api = try api(server)
    api.token = "secret"
    let answer = try await api.send("POST", path: "/v2/posts", headers: ["Prefer": "wait=1"], json: ["place": "Oslo"])
    let members = answer.members
    #expect(answer.status == 200 && members.id == "7" && members.state == "dead" && members.label == nil)
    #expect(members.reason?.detail == "no such place")
    let request = try #require(server.requests.first)
    #expect(request.method == "POST" && request.target == "/v2/posts" && request.body == #"{"place":"Oslo"}"#)
    #expect(request.headers["authorization"] == "Bearer secret" && request.headers["prefer"] == "wait=1")
  }

  @Test("A refusal keeps its detail, also one that asks for a session; a body that is none leaves the status")
  func refusal() async throws {
    let server = try StubServer { request in
      guard request.path == "/v2/session" else { return .answer(status: 502, body: "<html>") }
      return .answer(
        status: 401, headers: ["WWW-Authenticate": "Bearer realm=\"onthemap\""],
        body: #"{"code":"wrong_credentials","detail":"the password is wrong"}"#)
    }
    let api = try api(server)
    let refused = try await api.send("POST", path: "/v2/session", json: [:])
    #expect(refused.status == 401 && refused.problem == "the password is wrong")
    #expect(refused.members.code == "wrong_credentials")
    #expect(try await api.send("GET", path: "/").problem == "the server answered 502")
  }

  @Test("A server that cannot be asked is named with the reason")
  func unreachable() async throws {
    let gone = try StubServer { _ in .silence }
    let other = try StubServer { _ in .answer(body: "") }
    let api = try api(gone)
    gone.end()
    #expect(await failure(of: api)?.description == "it does not accept connections")
    let elsewhere = try StubServer { [url = other.url] _ in .answer(status: 302, headers: ["Location": url], body: "") }
    #expect(
      await failure(of: try self.api(elsewhere))?.description == "it sends elsewhere: use the address that it serves")
    #expect(other.requests.isEmpty, "The token goes to no other server.")
  }

  @Test(
    "Each failure is a sentence",
    arguments: [
      (FetchFailure.timedOut, "it did not answer in time"),
      (.unreachable(code: URLError.Code.cannotFindHost.rawValue), "no host has this name"),
      (.unreachable(code: URLError.Code.networkConnectionLost.rawValue), "it ended the connection"),
      (.unreachable(code: URLError.Code.secureConnectionFailed.rawValue), "no secure connection could be made"),
      (.unreachable(code: -1), "the connection failed (error -1)"), (.tooLong, "its answer is too long"),
      (.malformed, "it does not speak HTTP"),
    ])
  func words(failure: FetchFailure, text: String) { #expect(failure.description == text) }

  @Test("An answer of 16 MiB is taken, and one byte more is not")
  func longest() async throws {
    let server = try StubServer { request in
      let count = APILimits.bodyBytesMax + (request.path == "/livez" ? 1 : 0)
      return .answer(body: String(repeating: "a", count: count))
    }
    let api = try api(server)
    #expect(try await api.send("GET", path: "/").body.count == APILimits.bodyBytesMax)
    #expect(await failure(of: api) == .tooLong)
  }
}
