import Foundation

extension Settings {
  /// The server that a tool talks to.
  func server(flag: String?) throws -> URL {
    let text = text(.server, flag: flag, default: "http://127.0.0.1:8080")
    guard let url = URL(string: text), url.host != nil, url.scheme == "http" || url.scheme == "https" else {
      throw SettingError(.server, expected: "an address such as http://127.0.0.1:8080", came: text)
    }
    return url
  }
}
