import Foundation
import Messaging

extension Settings {
  /// Returns ingest's admin address: the configured one, or a socket in its data folder. Nil if the folder's path is
  /// too long for a socket address.
  ///
  /// - Throws: `SettingError` for an invalid address, and for one that other hosts reach, because the socket
  ///   authenticates no client.
  func admin(flag: String?, data: String) throws -> Endpoint? {
    // libzmq reads a text that begins with @ or * as something other than a path.
    let usual = "ipc://\(["/", "."].contains { data.hasPrefix($0) } ? data : "./" + data)/admin.sock"
    if optional(.admin, flag: flag) == nil, (try? Endpoint(usual)) == nil { return nil }
    let endpoint = try endpoint(.admin, flag: flag, default: usual)
    let text = endpoint.description
    let isLocal = ["ipc://", "tcp://127.", "tcp://localhost:", "tcp://[::1]:"].contains { text.hasPrefix($0) }
    let isAbstractOrWildcard = ["ipc://@", "ipc://*"].contains { text.hasPrefix($0) }
    guard isLocal, !isAbstractOrWildcard else {
      throw SettingError(
        .admin, expected: "ipc://PATH or a loopback address, such as tcp://127.0.0.1:7720", actual: text)
    }
    return endpoint
  }

  /// Returns the path of the gazetteer: the configured one, or one beside the program, or one where packages install
  /// it.
  func gazetteer(flag: String?) throws -> String {
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let usual = [
      program.appendingPathComponent("gazetteer.otm").path,
      program.deletingLastPathComponent().appendingPathComponent("share/onthemap/gazetteer.otm").path,
    ]
    let found = usual.first { FileManager.default.fileExists(atPath: $0) }
    let path = text(.gazetteer, flag: flag, default: found ?? usual[0])
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw SettingError(
        .gazetteer, expected: "a readable gazetteer file (build one with: make gazetteer)", actual: path)
    }
    return path
  }

  /// Returns the password of a tool's user from the environment, the settings file, or the password file. Nil if none
  /// is set.
  func password() throws -> String? {
    try secret(.password, file: .passwordFile)
  }

  /// Returns a secret from the environment, the settings file, or the file that the setting `file` names. Nil if none
  /// is set.
  func secret(_ setting: Setting, file: Setting) throws -> String? {
    if let secret = optional(setting, flag: nil) { return secret }
    guard let path = optional(file, flag: nil) else { return nil }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw SettingError(file, expected: "a readable file", actual: path)
    }
    return text.trimmingCharacters(in: .newlines)
  }
}
