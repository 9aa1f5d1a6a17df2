import Foundation

/// Whose posts a load test sends.
enum LoadAccount {
  /// Made for the run, and never used again.
  case throwAway
  case existing(user: String, password: String)

  /// The account that is set; throws `SettingError` when its password is missing.
  init(_ settings: Settings, user: String?) throws {
    guard let user = settings.optional(.user, flag: user) else {
      self = .throwAway
      return
    }
    guard let password = try settings.password() else {
      throw SettingError("The password is missing: set ONTHEMAP_PASSWORD or ONTHEMAP_PASSWORD_FILE.")
    }
    self = .existing(user: user, password: password)
  }

  /// A session's token.
  ///
  /// - Throws: `SettingError` with what the server says, or that it says nothing.
  func token(_ api: API) async throws -> String {
    let path: String
    let json: [String: Any]
    switch self {
    case .throwAway:
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
      let answer = try await api.send("POST", path: path, json: json)
      guard let token = answer.text("token") else { throw SettingError("Not logged in: \(answer.problem).") }
      return token
    } catch let error as URLError {
      throw SettingError("\(api.base) cannot be reached: \(error.localizedDescription)")
    }
  }
}
