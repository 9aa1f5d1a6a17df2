import ArgumentParser
import Ingest
import SignIn

/// Options of ingest about login with an identity provider.
struct SignInOptions: ParsableArguments {
  @Option(.facebookAppID)
  var facebookAppId: String?
  @Option(.facebookGraphURL)
  var facebookGraphUrl: String?

  @Option(.oidcIssuer)
  var oidcIssuer: String?
  @Option(.oidcClientID)
  var oidcClientId: String?
  @Option(.oidcName)
  var oidcName: String?

  /// Adds the providers to ingest's configuration.
  ///
  /// - Throws: `SettingError` for an invalid setting.
  func set(_ configuration: inout IngestConfiguration, _ settings: Settings) throws {
    configuration.facebook = try facebook(settings)
    configuration.openID = try openID(settings, origin: configuration.origin)
  }

  /// Returns the configuration of OpenID Connect. Nil if it is not set.
  private func openID(_ settings: Settings, origin: String) throws -> OpenIDConfiguration? {
    let issuer = settings.optional(.oidcIssuer, flag: oidcIssuer)
    let id = settings.optional(.oidcClientID, flag: oidcClientId)
    let secret = try settings.secret(.oidcClientSecret, file: .oidcClientSecretFile)
    let name = settings.optional(.oidcName, flag: oidcName)
    guard issuer != nil || id != nil || secret != nil || name != nil else { return nil }
    guard let issuer, let id else {
      let missing = issuer == nil ? Setting.oidcIssuer : .oidcClientID
      throw SettingError(
        "\(missing.title) is missing for login with OpenID Connect. Set it, or none of ONTHEMAP_OIDC_….")
    }
    guard !origin.isEmpty else {
      throw SettingError(
        "\(Setting.publicURL.title) is missing. Login with OpenID Connect requires it for the redirect: for example "
          + "https://example.org.")
    }
    do throws(OpenIDConfiguration.ConfigurationError) {
      return try OpenIDConfiguration(
        issuer: issuer, clientID: id, clientSecret: secret ?? "", name: name ?? "",
        redirectURI: origin + "/v2/login/oidc/callback")
    } catch {
      switch error {
      case .issuer: throw SettingError(.oidcIssuer, address: issuer)
      case .clientID: throw SettingError(.oidcClientID, expected: "a client id of printable characters", actual: id)
      case .clientSecret:
        throw SettingError(.oidcClientSecret, expected: "a secret of printable characters", actual: "")
      case .name:
        throw SettingError(
          .oidcName, expected: "one line of at most \(IdentityLimits.nameBytesMax) bytes", actual: name ?? "")
      }
    }
  }

  /// Returns the configuration of Facebook. Nil if it is not set.
  private func facebook(_ settings: Settings) throws -> FacebookConfiguration? {
    let appID = settings.optional(.facebookAppID, flag: facebookAppId)
    let secret = try settings.secret(.facebookAppSecret, file: .facebookAppSecretFile)
    let graph = settings.optional(.facebookGraphURL, flag: facebookGraphUrl)
    guard appID != nil || secret != nil || graph != nil else { return nil }
    guard let appID, let secret else {
      let missing = appID == nil ? Setting.facebookAppID.title : Setting.facebookAppSecretFile.name
      throw SettingError("\(missing) is missing for login with Facebook. Set it, or none of ONTHEMAP_FACEBOOK_….")
    }
    do throws(FacebookConfiguration.ConfigurationError) {
      return try FacebookConfiguration(
        appID: appID, appSecret: secret, graph: graph ?? FacebookConfiguration.defaultGraph)
    } catch {
      switch error {
      case .appID: throw SettingError(.facebookAppID, expected: "an app id, a number", actual: appID)
      case .appSecret:
        throw SettingError(.facebookAppSecret, expected: "a secret of printable characters", actual: secret)
      case .graph: throw SettingError(.facebookGraphURL, address: graph ?? "")
      }
    }
  }
}

extension SettingError {
  /// Creates the error for an invalid address of a provider.
  fileprivate init(_ setting: Setting, address: String) {
    // The part before an @ or after a ? may be a secret.
    let shown =
      address.contains("@") || address.contains("?") ? "a URL with user, password or query" : address
    self.init(
      setting,
      expected: "a URL such as https://login.example.org, without user, password or query, and http only to this "
        + "host", actual: shown)
  }
}
