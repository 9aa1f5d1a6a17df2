/// The example settings file, `deploy/onthemap.env.example`.
enum SettingsFile {
  /// Related settings below a title.
  struct Section: Sendable {
    let title: String
    let settings: [Setting]
  }

  static let sections: [Section] = [
    Section(
      title: "ingest: accepts and stores posts",
      settings: [
        .data, .store, .storePasswordFile, .http, .jobs, .changes, .submit, .gateways, .publicURL, .trustedProxies,
        .corsOrigins, .publicFeedURL, .mapAccess, .mapAccessSecret, .mapAccessSecretFile, .tiles, .tilesAttribution,
        .signUp, .oidcIssuer, .oidcClientID, .oidcClientSecret, .oidcClientSecretFile, .oidcName, .facebookAppID,
        .facebookAppSecret, .facebookAppSecretFile, .facebookGraphURL, .smtpURL, .smtpTLS, .smtpUser, .smtpPassword,
        .smtpPasswordFile, .mailFrom, .operatorContact, .requireConfirmedEmail, .maxQueueWait, .postsPerMinute,
        .remoteRate, .allowWorkers, .allowProducers, .allowFeeds, .allowGateways, .admin, .operations,
      ]),
    Section(
      title: "worker: geocodes places",
      settings: [
        .workerIngest, .gazetteer, .concurrency, .workerName, .remoteProvider, .remoteURL, .remoteContact,
        .remoteAPIKey, .remoteAPIKeyFile, .ingestKey, .workerOperations,
      ]),
    Section(
      title: "feed: publishes the list to subscribers and browsers",
      settings: [
        .feedIngest, .publish, .query, .failoverFeeds, .feedData, .allowSubscribers, .feedHTTP, .feedOperations,
      ]),
    Section(
      title: "gateway: serves ingest's HTTP on other hosts",
      settings: [.gatewayIngest, .gatewayFeed, .gatewayHTTP, .gatewayPasswordHashes, .gatewayOperations]),
    Section(
      title: """
        up: all services in one process. Uses ONTHEMAP_GAZETTEER, ONTHEMAP_REMOTE_… and the settings of ingest and \
        feed, except ONTHEMAP_FEED_INGEST, ONTHEMAP_FEED_DATA and ONTHEMAP_FEED_OPERATIONS
        """,
      settings: [.workers]),
    Section(
      title: """
        tools: watch, post, load. load and geocode use ONTHEMAP_GAZETTEER; queue, user and top use ONTHEMAP_ADMIN and \
        ONTHEMAP_DATA
        """,
      settings: [.feed, .feedKey, .submitKey, .server, .user, .password, .passwordFile]),
    Section(title: "keys: all services, watch and load", settings: [.keyFile, .allowPlaintext]),
    Section(title: "all commands", settings: [.config, .logLevel]),
  ]

  /// The complete file. It sets nothing: every setting is a comment with its default or an example.
  static var text: String {
    let parts = sections.map { section in
      let settings = section.settings.map { setting in
        let flags = (setting.flagNote ?? setting.flag).map { " (\($0))" } ?? ""
        let comment = setting.explanation.isEmpty ? "" : "\n" + commented(setting.explanation + flags)
        return comment + "#\(setting.name)=\(setting.exampleValue)\n"
      }
      return "\n" + commented("--- " + section.title) + settings.joined()
    }
    return head + parts.joined()
  }

  private static let head = """
    # Every setting of onthemap, with its default or an example. Copy the lines that you change:
    #   systemd      to /etc/onthemap/onthemap.env, which all units read
    #   by hand      to a file, and pass it with:  onthemap up --config FILE
    #   containers   into the environment; deploy/compose.yaml has the required ones
    # Write values without quotes. systemd removes quotes, but --config keeps them as part of the value.
    # Precedence: flag, environment, file, default.
    #
    # By default every link is on loopback, without encryption. An address that other hosts can reach
    # (0.0.0.0, for example) requires keys: see the settings of keys below, and deploy/README.md.

    """

  /// Returns comment lines of at most 120 columns.
  private static func commented(_ text: String) -> String {
    var (lines, line) = ("", "#")
    for word in text.split(separator: " ") {
      if line.utf8.count + 1 + word.utf8.count > 120 {
        lines += line + "\n"
        line = "#"
      }
      line += " " + word
    }
    return lines + line + "\n"
  }
}
