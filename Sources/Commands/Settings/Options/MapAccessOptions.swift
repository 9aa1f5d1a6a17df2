import ArgumentParser
import Domain
import Web

/// Who may see the map: for ingest and for feeds.
struct MapAccessOptions: ParsableArguments {
  @Option(.viewing)
  var viewing: String?

  /// - Parameters:
  ///   - isAll: whether ingest and feed are in this process.
  ///   - needsKey: whether nobody could see a closed map without one.
  /// - Throws: `SettingError` with what is wrong.
  func viewing(_ settings: Settings, isAll: Bool = false, needsKey: Bool = false) throws -> MapAccess {
    let word = settings.text(.viewing, flag: viewing)
    guard ["open", "closed"].contains(word) else {
      throw SettingError(.viewing, expected: "open or closed", actual: word)
    }
    let secret = try settings.secret(.viewKey, file: .viewKeyFile)
    guard word == "closed" else {
      guard secret == nil else {
        throw SettingError(.viewing, expected: "closed where there is a key for it", actual: word)
      }
      return .open
    }
    guard let secret else {
      guard !needsKey else {
        throw SettingError(.viewKeyFile, expected: "set where viewing is closed, to a file with ingest's key", actual: "")
      }
      return .closed(isAll ? ViewTickets() : nil)
    }
    guard secret.utf8.count >= Limits.viewKeyBytesMin else {
      throw SettingError(
        .viewKey, expected: "a text of \(Limits.viewKeyBytesMin) bytes or more, as openssl rand -hex 32 makes it",
        actual: secret)
    }
    return .closed(ViewTickets(secret: secret))
  }
}
