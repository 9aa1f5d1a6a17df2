import LoadTest

extension RunAccount {
  /// Creates the account from the settings: a temporary one if they name no user.
  ///
  /// - Throws: `SettingError` if the user's password is missing.
  init(_ settings: Settings, user: String?) throws {
    guard let user = settings.optional(.user, flag: user) else {
      self = .temporary
      return
    }
    guard let password = try settings.password() else {
      throw SettingError("no password. Set ONTHEMAP_PASSWORD or ONTHEMAP_PASSWORD_FILE.")
    }
    self = .existing(user: user, password: password)
  }
}
