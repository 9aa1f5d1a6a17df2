import Domain
import Logging
import Messaging

/// An allow-list in a file, and the link that it is for. Any thread.
struct AllowListFile: Sendable {
  /// The value of a setting that stands for no list: whoever knows the link's public key may connect.
  static let anyone = "anyone"

  let path: String
  let link: LinkName
  let access: LiveAllowList

  /// Reads the file. Throws `SettingError`.
  init(_ setting: Setting, path: String, link: LinkName, own: PublicKey?) throws {
    do throws(KeyFile.Mistake) { access = LiveAllowList(try AllowListFile.read(path), own: own) } catch {
      throw SettingError("\(setting.title): \(error)")
    }
    self.path = path
    self.link = link
  }

  /// Takes the list that is in the file now, whole or not at all: what is wrong with it is logged, and the old one
  /// stays.
  func reload(logger: Logger) {
    do throws(KeyFile.Mistake) {
      access.replace(try AllowListFile.read(path))
      announce(to: logger)
    } catch {
      logger.error(
        "list not taken, the old one stays in use", metadata: ["link": "\(link)", "reason": "\(error)"])
    }
  }

  /// Logs how many keys are on it.
  func announce(to logger: Logger) {
    logger.notice(
      "list of keys taken", metadata: ["link": "\(link)", "path": "\(path)", "keys": "\(access.count ?? 0)"])
  }

  private static func read(_ path: String) throws(KeyFile.FileError) -> AllowList {
    let text = try KeyFile.text(path)
    do throws(AllowList.Mistake) { return try AllowList(text) } catch {
      throw KeyFile.FileError(description: "\(path), \(error)")
    }
  }
}
