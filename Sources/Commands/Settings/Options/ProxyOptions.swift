import ArgumentParser
import Domain

/// Options of HTTP servers about the reverse proxies in front of them.
struct ProxyOptions: ParsableArguments {
  @Option(.trustedProxies)
  var trustedProxies: String?

  /// Returns the trusted proxies.
  ///
  /// - Throws: `SettingError` for an invalid setting.
  func trusted(_ settings: Settings) throws -> TrustedProxies {
    let text = settings.text(.trustedProxies, flag: trustedProxies)
    return TrustedProxies(
      try text.split(separator: ",").map { part in
        let part = String(part).trimmedLine
        guard let range = AddressRange(part) else {
          throw SettingError(
            .trustedProxies, expected: "addresses or networks such as 127.0.0.1,10.0.0.0/8", actual: part)
        }
        return range
      })
  }
}
