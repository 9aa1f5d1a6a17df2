import Domain
import Logging
import Messaging

/// An allowlist that a file contains, and its link. Any thread.
struct AllowListFile: Sendable {
  /// The value of a setting that disables the allowlist: every client that knows the service's public key may connect.
  static let anyone = "anyone"

  let path: String
  let link: LinkName
  let access: LiveAllowList

  /// Reads the file.
  ///
  /// - Throws: `SettingError` for an unreadable or faulty file.
  init(_ setting: Setting, path: String, link: LinkName, own: PublicKey?) throws {
    do throws(KeyFile.FileError) { access = LiveAllowList(try AllowListFile.read(path), own: own) } catch {
      throw SettingError("\(setting.title): \(error)")
    }
    self.path = path
    self.link = link
  }

  /// Replaces the allowlist with the file's. If the file is faulty, logs the reason and keeps the current allowlist.
  func reload(logger: Logger) {
    do throws(KeyFile.FileError) {
      access.replace(try AllowListFile.read(path))
      announce(to: logger)
    } catch {
      logger.error(
        "allowlist reload failed: keeping the current one",
        metadata: ["link": "\(link)", "path": "\(path)", "error": "\(error)"])
    }
  }

  /// Logs the number of keys.
  func announce(to logger: Logger) {
    logger.notice(
      "allowlist loaded", metadata: ["link": "\(link)", "path": "\(path)", "keys": "\(access.count ?? 0)"])
  }

  private static func read(_ path: String) throws(KeyFile.FileError) -> AllowList {
    let text = try KeyFile.text(path)
    do throws(AllowList.ParseError) { return try AllowList(text) } catch {
      throw KeyFile.FileError(description: "\(path), \(error)")
    }
  }
}
