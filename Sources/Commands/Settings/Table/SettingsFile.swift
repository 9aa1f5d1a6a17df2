/// The example of a file of settings: `deploy/onthemap.env.example`.
enum SettingsFile {
  /// Settings that belong together, below a title.
  struct Section: Sendable {
    let title: String
    let settings: [Setting]
  }

  static let sections: [Section] = [
    Section(
      title: "ingest: takes posts and keeps them",
      settings: [
        .data, .http, .jobs, .changes, .submit, .origin, .trustedProxies, .corsOrigins, .feedURL, .viewing, .viewKey,
        .viewKeyFile, .tiles, .tilesAttribution, .signUp, .oidcIssuer, .oidcClientID, .oidcClientSecret,
        .oidcClientSecretFile, .oidcName, .facebookAppID, .facebookAppSecret, .facebookAppSecretFile, .facebookGraph,
        .queueWaitMax, .postsPerMinute, .remoteRate, .allowWorkers, .allowProducers, .allowFeeds, .admin, .operations,
      ]),
    Section(
      title: "geocoder: finds the places",
      settings: [
        .geocoderIngest, .gazetteer, .concurrency, .workerName, .remote, .remoteURL, .remoteContact, .remoteKey,
        .remoteKeyFile, .ingestKey, .geocoderOperations,
      ]),
    Section(
      title: "feed: tells subscribers and browsers",
      settings: [
        .feedIngest, .publish, .query, .alternates, .feedData, .allowSubscribers, .feedHTTP, .feedOperations,
      ]),
    Section(
      title: """
        up: all of it in one process, with ONTHEMAP_GAZETTEER, the remote provider and the settings of ingest and \
        feed above, but for ONTHEMAP_FEED_INGEST, ONTHEMAP_FEED_DATA and ONTHEMAP_FEED_OPERATIONS
        """,
      settings: [.workers]),
    Section(
      title: """
        watch, post and load: tools; geocode reads ONTHEMAP_GAZETTEER, queue and top ONTHEMAP_ADMIN and ONTHEMAP_DATA
        """,
      settings: [.feed, .feedKey, .submitKey, .server, .user, .password, .passwordFile]),
    Section(title: "keys, of all services and of watch and load", settings: [.keyFile, .allowPlaintext]),
    Section(title: "all", settings: [.config, .logLevel]),
  ]

  /// The whole file. It sets nothing as it is: every setting is a comment with its default or an example.
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
    # Every setting of onthemap, with its default. Copy what you change:
    #   systemd      to /etc/onthemap/onthemap.env, which all units read
    #   by hand      to a file of your own, and name it:  onthemap up --config FILE
    #   containers   set in the environment; deploy/compose.yaml shows which are needed there
    # Write values without quotes: systemd takes them off, --config keeps them as part of the value.
    # A flag goes before the environment, the environment before the file, the file before the default.
    #
    # Job link, change log and feed are plain text on loopback, where every default is. An address that other hosts \
    reach
    # (0.0.0.0, say) is refused unless the link uses keys: see the settings of keys below, and deploy/README.md.

    """

  /// Lines of at most 120 columns, each a comment.
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
