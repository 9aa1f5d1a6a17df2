import Foundation
package import HTTPClient

/// The account whose posts a load test sends.
package enum RunAccount: Sendable {
  /// A new account for this run only.
  case temporary
  case existing(user: String, password: String)

  /// Logs in, or creates the account, and returns the session's token.
  ///
  /// - Throws: `LoadTestError` with the server's refusal, or if the server does not respond.
  package func token(_ api: API) async throws -> String {
    let path: String
    let json: [String: String]
    switch self {
    case .temporary:
      path = "/v2/accounts"
      json = [
        "email": "load-\(UUID().uuidString.lowercased().prefix(18))@load.invalid", "password": UUID().uuidString,
        "firstName": "Load", "lastName": "Test",
      ]
    case .existing(let user, let password):
      path = "/v2/session"
      json = ["email": user, "password": password]
    }
    do {
      let response = try await api.send("POST", path: path, json: json)
      guard let token = response.members.token else { throw LoadTestError.notLoggedIn(problem: response.problem) }
      return token
    } catch let failure as FetchFailure {
      throw LoadTestError.unreachable(server: api.base, reason: failure.description)
    }
  }
}
