import Domain
import Foundation
import Glibc

/// The operator of an admin request, for the log.
enum Operator: Sendable, CustomStringConvertible {
  /// An operator's account with its first name, over HTTP.
  case account(AccountID, name: String? = nil)
  /// A user of this host, over the admin socket, as the kernel reports it.
  case user(uid_t)
  /// A client's address, over an admin socket that listens on an address.
  case address(String)

  /// Identifies the sender of a request.
  ///
  /// - Parameter sender: The sender as the admin socket reports it: `localhost:UID:GID:PID`, or an IP address.
  init(sender: String) {
    let parts = sender.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 4, let user = uid_t(parts[1]), pid_t(parts[3]) != nil {
      self = .user(user)
    } else {
      self = .address(sender.isEmpty ? "unknown" : sender)
    }
  }

  /// First name of the operator's account. Nil for a user of the host and for an address.
  var firstName: String? { if case .account(_, let name) = self { name } else { nil } }

  /// Name for the log: "account 3", "ada (uid 1000)" or "127.0.0.1". May wait for the host's user database.
  var description: String {
    switch self {
    case .account(let account, _): "account \(account.rawValue)"
    case .user(let user): Operator.name(of: user).map { "\($0) (uid \(user))" } ?? "uid \(user)"
    case .address(let address): address
    }
  }

  private static func name(of user: uid_t) -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: Limits.userEntryBytesMax)
    guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name else {
      return nil
    }
    return String(cString: name)
  }
}
