import ArgumentParser
import Domain

/// What whoever serves HTTP may be told of the proxies in front of it.
struct ProxyOptions: ParsableArguments {
  @Option(.trustedProxies)
  var trustedProxies: String?

  /// Throws `SettingError` with what is wrong.
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
