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
  ///   - isAll: true if ingest and the feed are in this process.
  ///   - needsSecret: true if a members-only map without a secret would be visible to nobody.
  /// - Throws: `SettingError` for an invalid setting.
  func mapAccess(_ settings: Settings, isAll: Bool = false, needsSecret: Bool = false) throws -> MapAccess {
    let word = settings.text(.mapAccess, flag: mapAccess)
    guard ["public", "members"].contains(word) else {
      throw SettingError(.mapAccess, expected: "public or members", actual: word)
    }
    let secret = try settings.secret(.mapAccessSecret, file: .mapAccessSecretFile)
    guard word == "members" else {
      guard secret == nil else {
        throw SettingError(.mapAccess, expected: "members where \(Setting.mapAccessSecret.name) is set", actual: word)
      }
      return .public
    }
    guard let secret else {
      guard !needsSecret else {
        throw SettingError(
          .mapAccessSecretFile,
          expected: "set to a file with ingest's secret where \(Setting.mapAccess.name) is members", actual: "")
      }
      return .members(isAll ? ViewTickets() : nil)
    }
    guard secret.utf8.count >= Limits.mapAccessSecretBytesMin else {
      throw SettingError(
        .mapAccessSecret,
        expected: "a text of \(Limits.mapAccessSecretBytesMin) bytes or more, as openssl rand -hex 32 makes it",
        actual: secret)
    }
    return .members(ViewTickets(secret: secret))
  }
}
