import Foundation

extension Settings {
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
        .gazetteer, expected: "a compiled gazetteer that can be read (make one with: make gazetteer)", came: path)
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
      throw SettingError(file, expected: "a file that can be read", came: path)
    }
    return text.trimmingCharacters(in: .newlines)
  }
}
