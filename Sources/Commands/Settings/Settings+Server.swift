import Foundation

extension Settings {
  /// Returns the base URL of the server that a tool uses.
  func server(flag: String?) throws -> URL { try server(in: text(.server, flag: flag)) }

  /// Returns the base URLs of equal servers, from a comma-separated list.
  func servers(flag: String?) throws -> [URL] {
    try text(.server, flag: flag).split(separator: ",", omittingEmptySubsequences: false).map {
      try server(in: $0.trimmingCharacters(in: .whitespaces))
    }
  }

  private func server(in text: String) throws -> URL {
    guard let url = URL(string: text), url.host != nil, url.scheme == "http" || url.scheme == "https" else {
      throw SettingError(.server, expected: "an http or https URL such as \(Setting.server.exampleValue)", actual: text)
    }
    return url
  }
}
