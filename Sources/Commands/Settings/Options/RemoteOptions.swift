import ArgumentParser
import Domain
import RemoteGeocoding

/// Options of workers, alone and within `up`: who is asked for streets and houses. How often all workers together may
/// ask is ingest's: `IngestOptions.remoteRate`.
struct RemoteOptions: ParsableArguments {
  @Option(.remote)
  var remote: String?
  @Option(.remoteURL)
  var remoteUrl: String?
  @Option(.remoteContact)
  var remoteContact: String?

  /// Nil where none is set. Throws `SettingError` with what is wrong.
  func configuration(_ settings: Settings) throws -> RemoteConfiguration? {
    let name = settings.optional(.remote, flag: remote)
    let url = settings.optional(.remoteURL, flag: remoteUrl)
    let contact = settings.optional(.remoteContact, flag: remoteContact) ?? ""
    let key = try settings.secret(.remoteKey, file: .remoteKeyFile) ?? ""
    guard name != nil || url != nil else { return nil }
    guard let provider = Provider(rawValue: name ?? "") else {
      throw SettingError(.remote, expected: "nominatim, photon or pelias", actual: name ?? "")
    }
    do throws(RemoteConfiguration.Mistake) {
      return try RemoteConfiguration(provider: provider, url: url ?? "", contact: contact, key: key)
    } catch {
      switch error {
      case .url:
        // What stands before an @ or behind a ? may be a secret.
        let shown = url.map { $0.contains("@") || $0.contains("?") ? "one with a user, a password or a query" : $0 }
        throw SettingError(
          .remoteURL,
          expected: "an address such as https://geo.example.org, without user, password or query (a key goes into "
            + "\(Setting.remoteKey.name)), plain http only to this host", actual: shown ?? "")
      case .contactMissing:
        throw SettingError(
          .remoteContact, expected: "set for this server: your mail address or a link, by which it can reach you",
          actual: contact)
      case .contact:
        throw SettingError(.remoteContact, expected: "a mail address or a link, without spaces", actual: contact)
      case .key: throw SettingError(.remoteKey, expected: "a key of printable characters", actual: key)
      case .keyUnused:
        throw SettingError(
          "\(Setting.remoteKey.title) is set, but \(provider.rawValue) knows no keys; only pelias does.")
      }
    }
  }
}
