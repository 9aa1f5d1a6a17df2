import Domain
import Logging
import Messaging
import Web

/// What a process knows of keys: its own, and who may connect to it. Made once, at the start.
struct LinkKeys: Sendable {
  /// Nil where none is set.
  let own: KeyPair?
  /// The lists that are read again on SIGHUP.
  private(set) var lists: [AllowListFile] = []
  private var openLinks: [LinkName] = []
  /// Links that the operator lets other hosts reach in plain text.
  private var plainLinks: [(link: LinkName, endpoint: Endpoint)] = []
  private var isMapClosed = false
  private let plaintext: Set<LinkName>

  /// - Parameters:
  ///   - keyFile: the flag's value.
  ///   - allowPlaintext: the flag's value; nil too where the process listens to no link.
  /// - Throws: `SettingError`.
  init(_ settings: Settings, keyFile: String?, allowPlaintext: String? = nil, listens: Bool = false) throws {
    own = try settings.keyPair(flag: keyFile)
    plaintext = listens ? try settings.plaintextLinks(flag: allowPlaintext) : []
  }

  /// How a link that listens knows its peers: nil for plain text, which is refused where other hosts could reach it and
  /// nobody has said that they may.
  ///
  /// - Parameters:
  ///   - address: the setting that the endpoint comes from.
  ///   - list: the setting that names who may connect; `flag` is its flag's value.
  ///   - admitsItself: whether this process connects to the link too.
  /// - Throws: `SettingError`.
  mutating func server(
    _ link: LinkName, at endpoint: Endpoint, _ address: Setting, list: Setting, flag: String?, admitsItself: Bool,
    settings: Settings
  ) throws -> CurveServer? {
    guard let path = settings.optional(list, flag: flag) else {
      guard endpoint.isLocal || plaintext.contains(link) else {
        throw SettingError(
          "\(address.title): \(endpoint) can be reached from other hosts, in plain text and by anybody. Set "
            + "\(Setting.keyFile.title) and \(list.title), or an address of 127.0.0.1; or say that a private network "
            + "keeps others out, with \(Setting.allowPlaintext.flag ?? "") \(link).")
      }
      if !endpoint.isLocal { plainLinks.append((link, endpoint)) }
      return nil
    }
    guard let own else {
      throw SettingError(
        "\(list.title) needs \(Setting.keyFile.title): the secret key of this service (make one: onthemap keys new).")
    }
    if path == AllowListFile.anyone {
      openLinks.append(link)
      return CurveServer(keys: own, access: LiveAllowList(nil))
    }
    let file = try AllowListFile(list, path: path, link: link, own: admitsItself ? own.publicKey : nil)
    lists.append(file)
    return CurveServer(keys: own, access: file.access)
  }

  /// How a client is known to a link; nil for plain text.
  ///
  /// - Parameters:
  ///   - server: the setting that names the link's public key; `flag` is its flag's value.
  ///   - needsOwn: false where a key that nobody knows will do: it is made when there is none.
  /// - Throws: `SettingError`.
  func client(_ server: Setting, flag: String?, needsOwn: Bool, settings: Settings) throws -> CurveClient? {
    guard let key = try settings.publicKey(server, flag: flag) else { return nil }
    if let own { return CurveClient(keys: own, server: key) }
    guard !needsOwn else {
      throw SettingError(
        "\(server.title) needs \(Setting.keyFile.title): the secret key of this service (make one: onthemap keys new).")
    }
    return CurveClient(keys: try .random(), server: key)
  }

  /// Refuses a secret key that nothing uses: who sets one believes that the links are safe.
  ///
  /// - Parameter wanted: the settings that would use it.
  /// - Throws: `SettingError`.
  func check(isUsed: Bool, wanted: Setting...) throws {
    guard own != nil, !isUsed else { return }
    throw SettingError(
      "\(Setting.keyFile.title) is set, and nothing uses it: set \(wanted.map(\.title).joined(separator: " or ")) too.")
  }

  /// Applies access control for viewing to the links that show the map or parts of it. Call this after `server` for all
  /// links of the process, and before `announce`, which warns of plain text and of workers without a list.
  ///
  /// - Throws: `SettingError` if the map is closed and every client with the public key may subscribe, or follow the
  ///   change log.
  mutating func apply(to viewing: MapAccess) throws {
    guard viewing.isClosed else { return }
    guard openLinks.allSatisfy({ $0 != .feed && $0 != .query }) else {
      throw SettingError(
        "\(Setting.viewing.title) is closed, but \(Setting.allowSubscribers.title) \(AllowListFile.anyone) lets "
          + "everybody who knows the feed's public key read the map over ZeroMQ. Name a file of subscribers' public "
          + "keys instead.")
    }
    guard !openLinks.contains(.changes) else {
      throw SettingError(
        "\(Setting.viewing.title) is closed, but \(Setting.allowFeeds.title) \(AllowListFile.anyone) lets everybody "
          + "who knows ingest's public key read the map from the change log. Name a file of feeds' public keys "
          + "instead.")
    }
    isMapClosed = true
  }

  /// Logs who this process is to others, and who may come.
  func announce(to logger: Logger) {
    if let own { logger.notice("public key", metadata: ["key": "\(own.publicKey)"]) }
    for list in lists { list.announce(to: logger) }
    for link in openLinks where link != .feed {
      logger.warning("whoever knows the public key may connect and is believed", metadata: ["link": "\(link)"])
    }
    if isMapClosed { announceLeaks(to: logger) }
  }

  /// Logs a warning for each link that shows a closed map, or the places of its posts, to clients without an account.
  private func announceLeaks(to logger: Logger) {
    if openLinks.contains(.jobs) {
      logger.warning(
        """
        the map is closed, but everybody who knows the public key gets the places of posts, as a worker: name a file \
        of workers' public keys for \(Setting.allowWorkers.title)
        """, metadata: ["link": "\(LinkName.jobs)"])
    }
    for (link, endpoint) in plainLinks {
      let leak: (list: Setting, deed: String)
      switch link {
      case .feed, .query: leak = (.allowSubscribers, "reads it")
      case .changes: leak = (.allowFeeds, "reads it")
      case .jobs: leak = (.allowWorkers, "gets the places of posts, as a worker,")
      // A producer only sends posts, with a token of its account.
      case .submit: continue
      }
      logger.warning(
        """
        the map is closed, but everybody who reaches this port \(leak.deed) without an account: set \
        \(Setting.keyFile.title) and a file for \(leak.list.title), or bind 127.0.0.1
        """, metadata: ["link": "\(link)", "address": "\(endpoint)"])
    }
  }

  /// Reads the lists again.
  func reload(logger: Logger) {
    if lists.isEmpty { logger.info("SIGHUP: there is nothing to read again") }
    for list in lists { list.reload(logger: logger) }
  }
}

extension Settings {
  /// The process's own key; nil where none is set. Throws `SettingError`.
  fileprivate func keyPair(flag: String?) throws -> KeyPair? {
    guard let path = optional(.keyFile, flag: flag) else { return nil }
    do throws(KeyFile.Mistake) { return try KeyFile.read(path) } catch {
      throw SettingError("\(Setting.keyFile.title): \(error)")
    }
  }

  /// The links that may be reached in plain text from other hosts. Throws `SettingError`.
  fileprivate func plaintextLinks(flag: String?) throws -> Set<LinkName> {
    let text = optional(.allowPlaintext, flag: flag) ?? ""
    return Set(
      try text.split(separator: ",").map { word in
        guard let link = LinkName(rawValue: String(word)) else {
          throw SettingError(
            .allowPlaintext,
            expected: "names of links with commas between them, of "
              + LinkName.allCases.map(\.rawValue).joined(separator: ", "), actual: text)
        }
        return link
      })
  }

  /// A public key: in a file of that name, or as it is. Nil where none is set. Throws `SettingError`.
  fileprivate func publicKey(_ setting: Setting, flag: String?) throws -> PublicKey? {
    guard let value = optional(setting, flag: flag) else { return nil }
    do throws(KeyFile.Mistake) {
      if let key = try KeyFile.publicKey(value) ?? PublicKey(value) { return key }
    } catch {
      throw SettingError("\(setting.title): \(error)")
    }
    throw SettingError(
      setting, expected: "a public key of 40 characters, or a file that holds one", actual: value)
  }
}
