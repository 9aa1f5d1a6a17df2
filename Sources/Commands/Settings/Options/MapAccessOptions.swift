import ArgumentParser
import Domain
import Web

/// Options of map access, for ingest and for feeds.
struct MapAccessOptions: ParsableArguments {
  @Option(.mapAccess)
  var mapAccess: String?

  /// Returns the map access.
  ///
  /// - Parameters:
  ///   - isAll: True if ingest and the feed are in this process.
  ///   - needsSecret: True for a feed. Without a secret, a feed would show a members-only map to no browser.
  /// - Throws: `SettingError` for an invalid setting.
  func mapAccess(_ settings: Settings, isAll: Bool = false, needsSecret: Bool = false) throws -> MapAccess {
    let access = settings.text(.mapAccess, flag: mapAccess)
    guard ["public", "members"].contains(access) else {
      throw SettingError(.mapAccess, expected: "public or members", actual: access)
    }
    let secret = try settings.secret(.mapAccessSecret, file: .mapAccessSecretFile)
    guard access == "members" else {
      guard secret == nil else {
        throw SettingError(.mapAccess, expected: "members if \(Setting.mapAccessSecret.name) is set", actual: access)
      }
      return .public
    }
    guard let secret else {
      guard !needsSecret else {
        throw SettingError(
          "\(Setting.mapAccessSecretFile.title) must be set to a file with ingest's secret if "
            + "\(Setting.mapAccess.name) is members.")
      }
      return .members(isAll ? ViewTickets() : nil)
    }
    guard secret.utf8.count >= Limits.mapAccessSecretBytesMin else {
      throw SettingError(
        .mapAccessSecret,
        expected: "a text of \(Limits.mapAccessSecretBytesMin) bytes or more (create one with: openssl rand -hex 32)",
        actual: secret)
    }
    return .members(ViewTickets(secret: secret))
  }
}
