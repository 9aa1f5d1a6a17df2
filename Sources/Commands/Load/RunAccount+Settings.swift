import LoadTest

extension RunAccount {
  /// The account that is set. Throws `SettingError` when its password is missing.
  init(_ settings: Settings, user: String?) throws {
    guard let user = settings.optional(.user, flag: user) else {
      self = .temporary
      return
    }
    guard let password = try settings.password() else {
      throw SettingError("The password is missing: set ONTHEMAP_PASSWORD or ONTHEMAP_PASSWORD_FILE.")
    }
    self = .existing(user: user, password: password)
  }
}
