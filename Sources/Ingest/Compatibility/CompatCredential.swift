import Domain
import HTTPTypes
import Web

/// The credential of a login through the compatibility API. Ingest reads the credential only from the body, although
/// some clients also put the password into the URL.
enum CompatCredential {
  case password(email: String, password: String)
  case facebook(accessToken: String)

  init(_ body: JSONValue, acceptsFacebook: Bool) throws(Problem) {
    switch (body["udacity"], body["facebook_mobile"]) {
    case (let login?, nil):
      self = .password(
        email: try CompatCredential.text("username", of: login, in: "udacity"),
        password: try CompatCredential.text("password", of: login, in: "udacity"))
    case (nil, let login?):
      // Without a Facebook app, no Facebook token is valid.
      guard acceptsFacebook else { throw Problem.facebookDisabled }
      self = .facebook(accessToken: try CompatCredential.text("access_token", of: login, in: "facebook_mobile"))
    default: throw Problem(.badRequest, "classic_credentials", "Did not specify exactly one credential.")
    }
  }

  private static func text(
    _ name: String, of login: JSONValue, in member: String
  ) throws(Problem) -> String {
    guard let text = login[name]?.string, !text.isEmpty else {
      throw Problem(
        .badRequest, "classic_parameter", "trails.Error 400: Missing parameter '\(name)'", field: "\(member).\(name)")
    }
    return text
  }
}
