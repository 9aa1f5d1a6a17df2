import Foundation

extension Settings {
  /// The server that a tool talks to.
  func server(flag: String?) throws -> URL {
    let text = text(.server, flag: flag)
    guard let url = URL(string: text), url.host != nil, url.scheme == "http" || url.scheme == "https" else {
      throw SettingError(.server, expected: "an address such as \(Setting.server.exampleValue)", actual: text)
    }
    return url
  }
}
