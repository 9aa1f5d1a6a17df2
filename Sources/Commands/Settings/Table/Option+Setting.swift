import ArgumentParser

extension Option<String?> {
  /// Creates the option of a setting.
  ///
  /// - Parameters:
  ///   - summary: Help for a command in which the flag has another meaning.
  ///   - name: Flag for a command that gives the setting another name, such as `--http`.
  ///   - usual: Default for a command that has its own.
  init(_ setting: Setting, _ summary: String? = nil, name: String? = nil, default usual: Setting.Default? = nil) {
    let flag = name ?? setting.flag ?? ""
    self.init(
      name: .customLong(String(flag.drop { $0 == "-" })),
      help: ArgumentHelp(setting.help(summary, default: usual)))
  }
}
