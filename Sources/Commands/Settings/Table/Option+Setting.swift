import ArgumentParser

extension Option<String?> {
  /// An option for a setting.
  ///
  /// - Parameters:
  ///   - summary: for a command where the flag means something else.
  ///   - name: for a command whose flag has another name, such as `--http`.
  ///   - usual: for a command with another default.
  init(_ setting: Setting, _ summary: String? = nil, name: String? = nil, default usual: Setting.Default? = nil) {
    let flag = name ?? setting.flag ?? ""
    self.init(
      name: .customLong(String(flag.drop { $0 == "-" })),
      help: ArgumentHelp(setting.help(summary, default: usual)))
  }
}
