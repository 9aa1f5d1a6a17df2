import Domain
import Logging
import Messaging
import Web

/// The keys of a process, and the allowlists of its listening links. Created once, at startup.
struct LinkKeys: Sendable {
  /// The process's own keys. Nil if none are set.
  let own: KeyPair?
  /// The allowlists to reload on SIGHUP.
  private(set) var lists: [AllowListFile] = []
  /// Links that accept every key.
  private(set) var openLinks: [LinkName] = []
  /// Links that the operator permits other hosts to reach without encryption.
  private(set) var plainLinks: [(link: LinkName, endpoint: Endpoint)] = []
  private var isMembersOnly = false
  private let plaintext: Set<LinkName>

  /// Reads the keys of a process.
  ///
  /// - Parameters:
  ///   - settings: Settings of the command.
  ///   - keyFile: Value of `--key-file`.
  ///   - allowPlaintext: Value of `--allow-plaintext`. Nil without the flag, or if the process has no listening link.
  ///   - listens: True if the process has listening links.
  /// - Throws: `SettingError`.
  init(_ settings: Settings, keyFile: String?, allowPlaintext: String? = nil, listens: Bool = false) throws {
    own = try settings.keyPair(flag: keyFile)
    plaintext = listens ? try settings.plaintextLinks(flag: allowPlaintext) : []
  }

  /// Returns the authentication of peers on a listening link. Nil disables encryption.
  ///
  /// - Parameters:
  ///   - address: Setting of the endpoint.
  ///   - list: Setting of the allowlist. `flag` is the value of its flag.
  ///   - admitsItself: True if this process also connects to the link.
  /// - Throws: `SettingError` for an invalid setting. Also for a link without encryption that other hosts can reach,
  ///   unless the operator permits it.
  mutating func server(
    _ link: LinkName, at endpoint: Endpoint, _ address: Setting, list: Setting, flag: String?, admitsItself: Bool,
    settings: Settings
  ) throws -> CurveServer? {
    guard let path = settings.optional(list, flag: flag) else {
      guard endpoint.isLocal || plaintext.contains(link) else {
        throw SettingError(
          "\(address.title): other hosts can reach \(endpoint) without encryption or authentication. Set "
            + "\(Setting.keyFile.title) and \(list.title), bind to 127.0.0.1, or, on a private network, pass "
            + "\(Setting.allowPlaintext.flag ?? "") \(link).")
      }
      if !endpoint.isLocal { plainLinks.append((link, endpoint)) }
      return nil
    }
    guard let own else {
      throw SettingError(
        "\(list.title) requires \(Setting.keyFile.title). Create a key file with: onthemap keys new.")
    }
    if path == AllowListFile.anyone {
      // Ingest believes a gateway about the addresses of its clients, on which limits depend.
      guard link != .gateway else {
        throw SettingError(list, expected: "a file of the gateways' public keys", actual: path)
      }
      openLinks.append(link)
      return CurveServer(keys: own, access: LiveAllowList(nil))
    }
    let file = try AllowListFile(list, path: path, link: link, own: admitsItself ? own.publicKey : nil)
    lists.append(file)
    return CurveServer(keys: own, access: file.access)
  }

  /// Returns the authentication of a client. Nil disables encryption.
  ///
  /// - Parameters:
  ///   - server: Setting of the link's public key. `flag` is the value of its flag.
  ///   - needsOwn: True if the peer must know the client's key. If false, a client without a key gets a random one.
  /// - Throws: `SettingError`.
  func client(_ server: Setting, flag: String?, needsOwn: Bool, settings: Settings) throws -> CurveClient? {
    guard let key = try settings.publicKey(server, flag: flag) else { return nil }
    if let own { return CurveClient(keys: own, server: key) }
    guard !needsOwn else {
      throw SettingError(
        "\(server.title) requires \(Setting.keyFile.title). Create a key file with: onthemap keys new.")
    }
    return CurveClient(keys: try .random(), server: key, isTemporary: true)
  }

  /// Refuses a secret key that no link uses, because its operator expects encrypted links.
  ///
  /// - Parameters:
  ///   - isUsed: True if a link uses the key.
  ///   - wanted: Settings that would use the key.
  /// - Throws: `SettingError`.
  func check(isUsed: Bool, wanted: Setting...) throws {
    guard own != nil, !isUsed else { return }
    throw SettingError(
      "\(Setting.keyFile.title) is set, but no link uses it. Set \(wanted.map(\.title).joined(separator: " or ")) too.")
  }

  /// Applies the map access to the links that show the map or parts of it. Call this after `server` for all links of
  /// the process, and before `announce`, which logs the warnings.
  ///
  /// - Throws: `SettingError` if the map is members-only and the allowlist of the feed or the change log is `anyone`.
  mutating func apply(to mapAccess: MapAccess) throws {
    guard mapAccess.isMembersOnly else { return }
    guard openLinks.allSatisfy({ $0 != .feed && $0 != .query }) else {
      throw SettingError(
        "\(Setting.mapAccess.title) is members, but \(Setting.allowSubscribers.title) \(AllowListFile.anyone) lets "
          + "everybody who knows the feed's public key read the map over ZeroMQ. Name a file of subscribers' public "
          + "keys instead.")
    }
    guard !openLinks.contains(.changes) else {
      throw SettingError(
        "\(Setting.mapAccess.title) is members, but \(Setting.allowFeeds.title) \(AllowListFile.anyone) lets everybody "
          + "who knows ingest's public key read the map from the change log. Name a file of feeds' public keys "
          + "instead.")
    }
    isMembersOnly = true
  }

  /// Logs the public key of the process, and the allowlists.
  func announce(to logger: Logger) {
    if let own { logger.notice("public key loaded", metadata: ["public_key": "\(own.publicKey)"]) }
    for list in lists { list.announce(to: logger) }
    for link in openLinks where link != .feed {
      logger.notice("allowlist disabled: any key accepted", metadata: ["link": "\(link)"])
    }
    if isMembersOnly { announceLeaks(to: logger) }
  }

  /// Logs a warning for each link that exposes a members-only map, or the places of its posts, to clients without an
  /// account.
  private func announceLeaks(to logger: Logger) {
    if openLinks.contains(.jobs) {
      logger.warning(
        "members-only map exposed: any worker key accepted; set \(Setting.allowWorkers.title) to a file",
        metadata: ["link": "\(LinkName.jobs)", "exposes": "places"])
    }
    for (link, endpoint) in plainLinks {
      let leak: (list: Setting, exposes: String)
      switch link {
      case .feed, .query: leak = (.allowSubscribers, "map")
      case .changes: leak = (.allowFeeds, "map")
      case .jobs: leak = (.allowWorkers, "places")
      // A producer or a gateway only sends requests, with the tokens of accounts.
      case .submit, .gateway: continue
      }
      logger.warning(
        """
        members-only map exposed: plaintext port; set \(Setting.keyFile.title) and \(leak.list.title), or bind \
        127.0.0.1
        """, metadata: ["link": "\(link)", "address": "\(endpoint)", "exposes": "\(leak.exposes)"])
    }
  }

  /// Reloads the allowlists.
  func reload(logger: Logger) {
    if lists.isEmpty { logger.info("SIGHUP ignored: no allowlist configured") }
    for list in lists { list.reload(logger: logger) }
  }
}

extension Settings {
  /// Returns the process's own keys. Nil if none are set.
  ///
  /// - Throws: `SettingError`.
  fileprivate func keyPair(flag: String?) throws -> KeyPair? {
    guard let path = optional(.keyFile, flag: flag) else { return nil }
    do throws(KeyFile.FileError) { return try KeyFile.read(path) } catch {
      throw SettingError("\(Setting.keyFile.title): \(error)")
    }
  }

  /// Returns the links that other hosts may reach without encryption.
  ///
  /// - Throws: `SettingError`.
  fileprivate func plaintextLinks(flag: String?) throws -> Set<LinkName> {
    let text = optional(.allowPlaintext, flag: flag) ?? ""
    return Set(
      try text.split(separator: ",").map { name in
        guard let link = LinkName(rawValue: String(name)) else {
          throw SettingError(
            .allowPlaintext,
            expected: "a comma-separated list of "
              + LinkName.allCases.map(\.rawValue).joined(separator: ", "), actual: text)
        }
        return link
      })
  }

  /// Returns a public key, from a file or as given. Nil if none is set.
  ///
  /// - Throws: `SettingError`.
  func publicKey(_ setting: Setting, flag: String?) throws -> PublicKey? {
    guard let value = optional(setting, flag: flag) else { return nil }
    do throws(KeyFile.FileError) {
      if let key = try KeyFile.publicKey(value) ?? PublicKey(value) { return key }
    } catch {
      throw SettingError("\(setting.title): \(error)")
    }
    throw SettingError(
      setting, expected: "a public key of 40 characters, or a file that contains one", actual: value)
  }
}
