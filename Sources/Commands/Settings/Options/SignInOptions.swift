import ArgumentParser
import Ingest
import SignIn

/// Options of ingest about providers by whom people log in.
struct SignInOptions: ParsableArguments {
  @Option(.facebookAppID)
  var facebookAppId: String?
  @Option(.facebookGraph)
  var facebookGraph: String?

  @Option(.oidcIssuer)
  var oidcIssuer: String?
  @Option(.oidcClientID)
  var oidcClientId: String?
  @Option(.oidcName)
  var oidcName: String?

  /// Throws `SettingError` with what is wrong.
  func set(_ configuration: inout IngestConfiguration, _ settings: Settings) throws {
    configuration.facebook = try facebook(settings)
    configuration.openID = try openID(settings, origin: configuration.origin)
  }

  /// Nil where it is not set.
  private func openID(_ settings: Settings, origin: String) throws -> OpenIDConfiguration? {
    let issuer = settings.optional(.oidcIssuer, flag: oidcIssuer)
    let id = settings.optional(.oidcClientID, flag: oidcClientId)
    let secret = try settings.secret(.oidcClientSecret, file: .oidcClientSecretFile)
    let name = settings.optional(.oidcName, flag: oidcName)
    guard issuer != nil || id != nil || secret != nil || name != nil else { return nil }
    guard let issuer, let id else {
      let missing = issuer == nil ? Setting.oidcIssuer : .oidcClientID
      throw SettingError(
        "Login with OpenID Connect is half set: \(missing.title) lacks; set it, or none of ONTHEMAP_OIDC_….")
    }
    guard !origin.isEmpty else {
      throw SettingError(
        .origin,
        expected: "set where people log in with OpenID Connect: the provider sends them back there, such as to "
          + "https://example.org", actual: origin)
    }
    do throws(OpenIDConfiguration.Mistake) {
      return try OpenIDConfiguration(
        issuer: issuer, clientID: id, clientSecret: secret ?? "", name: name ?? "",
        redirectURI: origin + "/v2/login/oidc/callback")
    } catch {
      switch error {
      case .issuer: throw SettingError(.oidcIssuer, address: issuer)
      case .clientID: throw SettingError(.oidcClientID, expected: "the client's id, of printable characters", actual: id)
      case .clientSecret:
        throw SettingError(.oidcClientSecret, expected: "a secret of printable characters", actual: "")
      case .name:
        throw SettingError(
          .oidcName, expected: "a name of \(IdentityLimits.nameBytesMax) bytes at most, in one line", actual: name ?? "")
      }
    }
  }

  /// Nil where it is not set.
  private func facebook(_ settings: Settings) throws -> FacebookConfiguration? {
    let appID = settings.optional(.facebookAppID, flag: facebookAppId)
    let secret = try settings.secret(.facebookAppSecret, file: .facebookAppSecretFile)
    let graph = settings.optional(.facebookGraph, flag: facebookGraph)
    guard appID != nil || secret != nil || graph != nil else { return nil }
    guard let appID, let secret else {
      let missing = appID == nil ? Setting.facebookAppID.title : Setting.facebookAppSecretFile.name
      throw SettingError("Login with Facebook is half set: \(missing) lacks; set it, or none of ONTHEMAP_FACEBOOK_….")
    }
    do throws(FacebookConfiguration.Mistake) {
      return try FacebookConfiguration(
        appID: appID, appSecret: secret, graph: graph ?? FacebookConfiguration.defaultGraph)
    } catch {
      switch error {
      case .appID: throw SettingError(.facebookAppID, expected: "the app's id, a number", actual: appID)
      case .appSecret:
        throw SettingError(.facebookAppSecret, expected: "a secret of printable characters", actual: secret)
      case .graph: throw SettingError(.facebookGraph, address: graph ?? "")
      }
    }
  }
}

extension SettingError {
  /// It is not the address of a provider.
  fileprivate init(_ setting: Setting, address: String) {
    // What stands before an @ or behind a ? may be a secret.
    let shown =
      address.contains("@") || address.contains("?") ? "one with a user, a password or a query" : address
    self.init(
      setting,
      expected: "an address such as https://login.example.org, without user, password or query, plain http only to "
        + "this host", actual: shown)
  }
}
