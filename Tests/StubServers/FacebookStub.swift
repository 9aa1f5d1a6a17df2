import CSodium
import Synchronization

/// A stub of the parts of Facebook's Graph API that logins use, for one app.
package final class FacebookStub: Sendable {
  package static let appID = "1234567890"
  package static let appSecret = "0123456789abcdef0123456789abcdef"

  /// A user who logged in to some app.
  package struct Login: Sendable {
    package var user = "10223"
    package var app = FacebookStub.appID
    package var isValid = true
    /// The profile's members, as JSON.
    package var profile = #""first_name":"Grace","last_name":"Hopper","email":"Grace@Example.org""#
    /// The user id in the profile. Nil for `user`.
    package var profileID: String?

    package init() {}
  }

  package let server: StubServer
  private let logins: Mutex<[String: Login]>

  /// - Parameter logins: The logins by access token.
  package init(_ logins: [String: Login]) throws {
    self.logins = Mutex(logins)
    server = try StubServer { _ in .reset }
    server.setResponse { [weak self] request in self?.reply(request) ?? .reset }
  }

  /// The stub's URL, with a version.
  package var url: String { server.url + "/v24.0" }

  /// Sets the login of a token. Nil removes it.
  package func set(_ token: String, _ login: Login?) { logins.withLock { $0[token] = login } }

  private func reply(_ request: StubServer.Request) -> StubServer.Reply {
    switch request.path {
    case "/v24.0/debug_token": inspected(request)
    case "/v24.0/me": profile(request)
    default: .response(status: 404, body: #"{"error":{"message":"Unknown path components"}}"#)
    }
  }

  private func inspected(_ request: StubServer.Request) -> StubServer.Reply {
    guard request.parameter("access_token") == "\(Self.appID)|\(Self.appSecret)" else {
      return .response(status: 400, body: #"{"error":{"message":"Invalid OAuth access token signature.","code":190}}"#)
    }
    guard let login = logins.withLock({ $0[request.parameter("input_token") ?? ""] }), login.isValid else {
      return .response(body: #"{"data":{"error":{"code":190,"message":"expired"},"is_valid":false,"scopes":[]}}"#)
    }
    return .response(
      body: """
        {"data":{"app_id":"\(login.app)","type":"USER","is_valid":true,"expires_at":0,"user_id":"\(login.user)",
        "scopes":["email","public_profile"]}}
        """)
  }

  private func profile(_ request: StubServer.Request) -> StubServer.Reply {
    let token = request.parameter("access_token") ?? ""
    guard let login = logins.withLock({ $0[token] }), request.parameter("appsecret_proof") == Self.proof(token) else {
      return .response(status: 400, body: #"{"error":{"message":"Invalid appsecret_proof","code":100}}"#)
    }
    let members = login.profile.isEmpty ? "" : "," + login.profile
    return .response(body: #"{"id":"\#(login.profileID ?? login.user)"\#(members)}"#)
  }

  /// Computes the proof in one call, unlike the program: this key has exactly the length that `crypto_auth_hmacsha256`
  /// needs.
  private static func proof(_ token: String) -> String {
    var hash = [UInt8](repeating: 0, count: 32)
    crypto_auth_hmacsha256(&hash, Array(token.utf8), UInt64(token.utf8.count), Array(appSecret.utf8))
    return hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
