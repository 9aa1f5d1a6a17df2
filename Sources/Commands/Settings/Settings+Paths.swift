import Foundation
import Messaging

extension Settings {
  /// Where ingest is asked by its operator: as told, or a socket in the folder of its data; nil where that folder's
  /// path is longer than a socket's address.
  ///
  /// - Throws: `SettingError`, also for an address that other hosts reach: nobody is asked who he is there.
  func admin(flag: String?, data: String) throws -> Endpoint? {
    // What begins with @ or * is no path to libzmq.
    let usual = "ipc://\(["/", "."].contains { data.hasPrefix($0) } ? data : "./" + data)/admin.sock"
    if optional(.admin, flag: flag) == nil, (try? Endpoint(usual)) == nil { return nil }
    let endpoint = try endpoint(.admin, flag: flag, default: usual)
    let text = endpoint.description
    let isHere = ["ipc://", "tcp://127.", "tcp://localhost:", "tcp://[::1]:"].contains { text.hasPrefix($0) }
    let isNobodys = ["ipc://@", "ipc://*"].contains { text.hasPrefix($0) }
    guard isHere, !isNobodys else {
      throw SettingError(
        .admin, expected: "ipc://PATH or an address of this host only, tcp://127.0.0.1:PORT", actual: text)
    }
    return endpoint
  }

  /// The compiled gazetteer: as told, or beside the program, or where packages put it.
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
        .gazetteer, expected: "a compiled gazetteer that can be read (make one with: make gazetteer)", actual: path)
    }
    return path
  }

  /// The password of whoever uses a tool: from the environment or the file, or from the file that is named there; nil
  /// where neither is set.
  func password() throws -> String? {
    try secret(.password, file: .passwordFile)
  }

  /// A secret: from the environment or the file of settings, or from a file of its own that is named there; nil where
  /// neither is set.
  func secret(_ setting: Setting, file: Setting) throws -> String? {
    if let secret = optional(setting, flag: nil) { return secret }
    guard let path = optional(file, flag: nil) else { return nil }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw SettingError(file, expected: "a file that can be read", actual: path)
    }
    return text.trimmingCharacters(in: .newlines)
  }
}
