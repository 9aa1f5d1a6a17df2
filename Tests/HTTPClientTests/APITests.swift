import Foundation
import StubServers
import Testing

@testable import HTTPClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("API requests of the tools")
struct APITests {
  private func failure(of api: API) async -> FetchFailure? {
    do {
      _ = try await api.send("GET", path: "/livez")
      return nil
    } catch { return error }
  }

  private func api(_ server: StubServer) throws -> API { API(try #require(URL(string: server.url))) }

  @Test("The API client sends its token and a JSON body, and decodes the response's members")
  func request() async throws {
    let server = try StubServer { _ in
      .response(body: #"{"id":"7","state":"dead","reason":{"detail":"no such place"}}"#)
    }
    var api = try api(server)
    api.token = "secret"
    let response = try await api.send("POST", path: "/v2/posts", headers: ["Prefer": "wait=1"], json: ["place": "Oslo"])
    let members = response.members
    #expect(response.status == 200 && members.id == "7" && members.state == "dead" && members.label == nil)
    #expect(members.reason?.detail == "no such place")
    let request = try #require(server.requests.first)
    #expect(request.method == "POST" && request.target == "/v2/posts" && request.body == #"{"place":"Oslo"}"#)
    #expect(request.headers["authorization"] == "Bearer secret" && request.headers["prefer"] == "wait=1")
  }

  @Test("A refused request reports the problem's detail, or the status if the response has no detail")
  func refusal() async throws {
    let server = try StubServer { request in
      guard request.path == "/v2/session" else { return .response(status: 502, body: "<html>") }
      return .response(
        status: 401, headers: ["WWW-Authenticate": "Bearer realm=\"onthemap\""],
        body: #"{"code":"wrong_credentials","detail":"the password is wrong"}"#)
    }
    let api = try api(server)
    let refused = try await api.send("POST", path: "/v2/session", json: [:])
    #expect(refused.status == 401 && refused.problem == "the password is wrong")
    #expect(refused.members.code == "wrong_credentials")
    #expect(try await api.send("GET", path: "/").problem == "the server responded with status 502")
  }

  @Test("A request to an unreachable or redirecting server fails with a reason, and no redirect gets the token")
  func unreachable() async throws {
    let stopped = try StubServer { _ in .silence }
    let other = try StubServer { _ in .response(body: "") }
    let api = try api(stopped)
    stopped.end()
    #expect(await failure(of: api)?.description == "connection refused")
    let elsewhere = try StubServer { [url = other.url] _ in .response(status: 302, headers: ["Location": url], body: "")
    }
    #expect(
      await failure(of: try self.api(elsewhere))?.description == "unexpected redirect: use the final address")
    #expect(other.requests.isEmpty, "The client must not follow the redirect with its token.")
  }

  @Test(
    "Each fetch failure has a text for people",
    arguments: [
      (FetchFailure.timedOut, "no response in time"),
      (.unreachable(code: URLError.Code.cannotFindHost.rawValue), "unknown host"),
      (.unreachable(code: URLError.Code.networkConnectionLost.rawValue), "connection lost"),
      (.unreachable(code: URLError.Code.secureConnectionFailed.rawValue), "TLS handshake failed"),
      (.unreachable(code: -1), "no connection: check the network, its firewalls, and the certificate if there is one"),
      (.unreachable(code: -2), "the connection failed (error -2)"), (.tooLong, "response too long"),
      (.malformed, "not an HTTP response"),
    ])
  func texts(failure: FetchFailure, text: String) { #expect(failure.description == text) }

  @Test("The API client accepts a response of 16 MiB and refuses one byte more")
  func longest() async throws {
    let server = try StubServer { request in
      let count = APILimits.bodyBytesMax + (request.path == "/livez" ? 1 : 0)
      return .response(body: String(repeating: "a", count: count))
    }
    let api = try api(server)
    #expect(try await api.send("GET", path: "/").body.count == APILimits.bodyBytesMax)
    #expect(await failure(of: api) == .tooLong)
  }
}
