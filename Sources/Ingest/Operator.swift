import Foundation
import Glibc
import OnTheMap

/// Who steers ingest, for the log.
enum Operator: Sendable, CustomStringConvertible {
  /// Of an operator's account, over HTTP.
  case account(AccountID)
  /// A user of this host, over the admin socket; the kernel says who it is.
  case user(uid_t)
  /// Somebody on this host, by an admin socket that is an address.
  case address(String)

  /// - Parameter sender: as the admin socket tells it: `localhost:UID:GID:PID`, or an IP address.
  init(sender: String) {
    let parts = sender.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 4, let user = uid_t(parts[1]), pid_t(parts[3]) != nil {
      self = .user(user)
    } else {
      self = .address(sender.isEmpty ? "unknown" : sender)
    }
  }

  /// "account 3", "ada (uid 1000)" or "127.0.0.1". May wait for the host's list of users.
  var description: String {
    switch self {
    case .account(let account): "account \(account.rawValue)"
    case .user(let user): Operator.name(of: user).map { "\($0) (uid \(user))" } ?? "uid \(user)"
    case .address(let address): address
    }
  }

  private static func name(of user: uid_t) -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    // What glibc suggests where it does not know better.
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name else {
      return nil
    }
    return String(cString: name)
  }
}
