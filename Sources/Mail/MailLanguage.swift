/// Language of a mail, with its tag (BCP 47) as raw value.
package enum MailLanguage: String, Sendable, CaseIterable {
  case english = "en"
  case german = "de"

  /// Selects the language that a client prefers. English without a preference.
  ///
  /// - Parameter header: Value of Accept-Language, such as "de-CH, de;q=0.9, en;q=0.8" (RFC 9110, section 12.5.4).
  package init(accepting header: String?) {
    let ranges = (header ?? "").split(separator: ",").map { range in
      let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      return (tag: parts.first ?? "", weight: weight)
    }
    func weight(_ language: MailLanguage) -> Double {
      let own = ranges.filter { $0.tag == language.rawValue || $0.tag.hasPrefix(language.rawValue + "-") }
      let any = ranges.filter { $0.tag == "*" }
      return (own.isEmpty ? any : own).map(\.weight).max() ?? 0
    }
    self = weight(.german) > weight(.english) ? .german : .english
  }
}
