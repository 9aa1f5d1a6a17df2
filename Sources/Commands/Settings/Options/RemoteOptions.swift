import ArgumentParser
import Domain
import RemoteGeocoding

/// Options of workers, alone and within `up`, about the remote provider for streets and houses.
/// `IngestOptions.remoteRate` limits the requests of all workers together.
struct RemoteOptions: ParsableArguments {
  @Option(.remoteProvider)
  var remoteProvider: String?
  @Option(.remoteURL)
  var remoteUrl: String?
  @Option(.remoteContact)
  var remoteContact: String?

  /// Returns the configuration of the remote provider. Nil if none is set.
  ///
  /// - Throws: `SettingError` for an invalid setting.
  func configuration(_ settings: Settings) throws -> RemoteConfiguration? {
    let name = settings.optional(.remoteProvider, flag: remoteProvider)
    let url = settings.optional(.remoteURL, flag: remoteUrl)
    let contact = settings.optional(.remoteContact, flag: remoteContact) ?? ""
    let key = try settings.secret(.remoteAPIKey, file: .remoteAPIKeyFile) ?? ""
    guard name != nil || url != nil else { return nil }
    guard let provider = Provider(rawValue: name ?? "") else {
      throw SettingError(.remoteProvider, expected: "nominatim, photon or pelias", actual: name ?? "")
    }
    do throws(RemoteConfiguration.ConfigurationError) {
      return try RemoteConfiguration(provider: provider, url: url ?? "", contact: contact, key: key)
    } catch {
      switch error {
      case .url:
        // The part before an @ or after a ? may be a secret.
        let shown = url.map { $0.contains("@") || $0.contains("?") ? "a URL with user, password or query" : $0 }
        throw SettingError(
          .remoteURL,
          expected: "a URL such as https://geo.example.org, without user, password or query, and http only to this "
            + "host (set an API key with \(Setting.remoteAPIKey.name))", actual: shown ?? "")
      case .contactMissing:
        throw SettingError(
          "\(Setting.remoteContact.title) is missing. This provider requires your email address or URL.")
      case .contact:
        throw SettingError(.remoteContact, expected: "an email address or URL without spaces", actual: contact)
      case .key: throw SettingError(.remoteAPIKey, expected: "a key of printable characters", actual: key)
      case .keyUnused:
        throw SettingError(
          "\(Setting.remoteAPIKey.title) is set, but \(provider.rawValue) uses no API key; only pelias does.")
      }
    }
  }
}
