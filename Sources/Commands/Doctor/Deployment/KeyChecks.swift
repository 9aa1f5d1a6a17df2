import Domain
import Foundation
import Glibc
import Ingest
import Messaging

/// Checks of the keys and allowlists of a process, and of ports without encryption.
struct KeyChecks: Sendable {
  /// A public key or an allowlist of this host that should match the process's own key.
  enum Expectation: Sendable {
    /// Peers expect this public key.
    case publicKey(PublicKey)
    /// Peers accept the keys of this allowlist.
    case allowList(AllowList)
  }

  let plan: ServicePlan
  /// Path of the secret key file. Nil without one.
  let keyFile: String?
  /// Settings of this host about the process's own key, by their titles.
  let expectations: [(title: String, Expectation)]

  func run() -> [Check] {
    var checks: [Check] = []
    if let keyFile { checks += [file(keyFile), pair(keyFile)] }
    checks += plan.keys.lists.map(allowList)
    if !plan.listening.isEmpty { checks.append(plaintext()) }
    return checks + (plan.http.isEmpty ? [] : [http()])
  }

  private func file(_ path: String) -> Check {
    let id = "key-file"
    var (status, folder) = (stat(), stat())
    let parent = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
    guard stat(path, &status) == 0, stat(parent, &folder) == 0 else {
      return .notChecked(id, "\(path) cannot be examined: \(String(cString: strerror(errno)))")
    }
    return KeyChecks.file(
      path, mode: status.st_mode & 0o7777, owner: status.st_uid, folderMode: folder.st_mode & 0o7777, user: geteuid())
  }

  /// Returns the result for the mode and owner of a secret key file and for its folder.
  static func file(_ path: String, mode: UInt32, owner: UInt32, folderMode: UInt32, user: UInt32) -> Check {
    let id = "key-file"
    let text = "\(path) has mode \(String(mode, radix: 8)) and owner \(owner)"
    guard KeyFile.isPrivate(mode: mode, owner: owner) else {
      return .failure(id, "\(text): other users can read it", remedy: "Run: chmod 600 \(path), and replace the key")
    }
    // In a folder with the sticky bit, only the owner of a file can replace it.
    if folderMode & 0o022 != 0, folderMode & 0o1000 == 0 {
      return .failure(
        id, "\(text), and other users can replace it: its folder has mode \(String(folderMode, radix: 8))",
        remedy: "Run: chmod go-w on the folder")
    }
    guard owner == user || owner == 0 else {
      return .warning(
        id, "\(text), but doctor runs as user \(user)", remedy: "Run doctor as the service's user")
    }
    return .ok(id, text)
  }

  private func pair(_ path: String) -> Check {
    let id = "key-pair"
    guard let own = plan.keys.own?.publicKey else { return .notChecked(id, "\(path) has no key") }
    var expectations = expectations
    let sibling = URL(fileURLWithPath: path).deletingPathExtension().appendingPathExtension("pub").path
    if let key = try? KeyFile.publicKey(sibling) { expectations.append((sibling, .publicKey(key))) }
    return KeyChecks.pair(own, expectations)
  }

  /// Returns the result of the comparison of the own key with this host's settings for its peers.
  static func pair(_ own: PublicKey, _ expectations: [(title: String, Expectation)]) -> Check {
    let id = "key-pair"
    for (title, expectation) in expectations {
      switch expectation {
      case .publicKey(let key) where key != own:
        return .failure(
          id, "\(title) has another public key than the key file: peers with it cannot connect",
          remedy: "Replace it with the output of: onthemap keys show FILE")
      case .allowList(let list) where list.name(of: own) == nil:
        return .failure(
          id, "\(title) lacks the public key of the key file: the link refuses this process",
          remedy: "Add the output of: onthemap keys show FILE")
      case .publicKey, .allowList: break
      }
    }
    guard !expectations.isEmpty else {
      return .notChecked(id, "this host has no public key and no allowlist of its peers")
    }
    return .ok(id, "the key file matches \(expectations.map(\.title).joined(separator: ", "))")
  }

  private func allowList(_ list: AllowListFile) -> Check {
    let id = "allowlist-\(list.link)"
    var status = stat()
    guard stat(list.path, &status) == 0, let text = try? KeyFile.text(list.path) else {
      return .notChecked(id, "\(list.path) cannot be read")
    }
    return KeyChecks.allowList(id, list.path, names: KeyLines(text).lines.map(\.rest), mode: status.st_mode & 0o7777)
  }

  /// Returns the result for the names and the mode of an allowlist. Its parser has refused invalid and double keys.
  static func allowList(_ id: String, _ path: String, names: [String], mode: UInt32) -> Check {
    let measure = Check.Measure(names.count, "keys")
    guard mode & 0o022 == 0 else {
      return .failure(
        id, "\(path) has mode \(String(mode, radix: 8)): other users can add keys", measure,
        remedy: "Run: chmod go-w \(path)")
    }
    guard !names.isEmpty else {
      return .warning(
        id, "\(path) has no key, so no peer can connect", measure, remedy: "Add the public keys of the peers")
    }
    let doubles = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
    guard doubles.isEmpty else {
      return .warning(
        id, "\(path) has several keys named \(doubles.joined(separator: ", "))", measure,
        remedy: "After the change of a key, remove the old one")
    }
    return .ok(id, "\(path) has \(counted(names.count, "key"))", measure)
  }

  private func plaintext() -> Check {
    let id = "plaintext-links"
    let open = plan.keys.plainLinks.map { "\($0.link) at \($0.endpoint)" }
    guard open.isEmpty else {
      return .warning(
        id, "other hosts reach links without encryption: \(open.joined(separator: ", "))",
        remedy: "Use keys (deploy/README.md), unless the network is private")
    }
    return .ok(id, "other hosts reach no link without encryption")
  }

  private func http() -> Check {
    // A gateway does not know the public URL.
    let isSecure = plan.ingest.map { $0.origin.hasPrefix("https://") } ?? plan.gateway.map { _ in false }
    return KeyChecks.http(plan.http.map { ($0.host, $0.port) }, isSecure: isSecure)
  }

  /// Returns the result for the hosts that HTTP binds.
  ///
  /// - Parameter isSecure: True if a proxy terminates TLS. Nil for a feed, which receives no password.
  static func http(_ addresses: [(host: String, port: Int)], isSecure: Bool?) -> Check {
    let id = "plaintext-http"
    let open = addresses.filter { $0.host != "localhost" && IPAddress($0.host)?.isLoopback != true }
    let text = open.map { "\(authority($0.host)):\($0.port)" }.joined(separator: ", ")
    if open.isEmpty { return .ok(id, "HTTP listens on loopback only") }
    guard let isSecure else { return .ok(id, "HTTP listens at \(text); a feed receives no password") }
    return .warning(
      id, "other hosts reach HTTP without TLS at \(text)",
      remedy: isSecure
        ? "Bind 127.0.0.1, or permit only the reverse proxy in the firewall"
        : "Put a reverse proxy with TLS in front: passwords cross the network in clear text")
  }
}
