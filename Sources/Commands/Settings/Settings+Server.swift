import Foundation

extension Settings {
  /// Returns the base URL of the server that a tool uses.
  func server(flag: String?) throws -> URL {
    let text = text(.server, flag: flag)
    guard let url = URL(string: text), url.host != nil, url.scheme == "http" || url.scheme == "https" else {
      throw SettingError(.server, expected: "an http or https URL such as \(Setting.server.exampleValue)", actual: text)
    }
    return url
  }
}
