/// A setting of the program, declared once: its flag with the help, its environment variable, its default, and its part
/// of the example file.
struct Setting: Sendable, Equatable {
  /// The default of a setting.
  enum Default: Sendable, Equatable {
    case unset
    case value(String)
    /// The program computes the value, or works without one. The text describes it in the help.
    case described(String)
  }

  /// Name of the environment variable.
  let name: String
  /// The flag as typed. Nil for secrets and their files, because the list of processes shows flags.
  let flag: String?
  let declaredDefault: Default
  /// Value in the example file if there is no default.
  let example: String
  /// True for a value that is never shown.
  let isSecret: Bool
  /// Help of the flag.
  let summary: String
  /// Comment in the example file. Empty for a setting that shares the comment of the previous one.
  let explanation: String
  /// Flags to name in the comment of the example file, if they differ from `flag`.
  let flagNote: String?

  init(
    _ name: String, flag: String? = nil, default usual: Default = .unset, example: String = "", isSecret: Bool = false,
    summary: String = "", explanation: String = "", flagNote: String? = nil
  ) {
    (self.name, self.flag, self.declaredDefault, self.example) = (name, flag, usual, example)
    (self.isSecret, self.summary, self.explanation, self.flagNote) = (isSecret, summary, explanation, flagNote)
  }

  /// Effective value without a flag, a variable or a file. Empty if there is none.
  var defaultValue: String { if case .value(let value) = declaredDefault { value } else { "" } }

  /// Value in the example file: the default or the example.
  var exampleValue: String { if case .value(let value) = declaredDefault { value } else { example } }

  /// The flag and the name of the environment variable, for messages.
  var title: String { title(flag: flag) }

  /// Returns the title for a command whose flag has another name.
  func title(flag: String?) -> String { flag.map { "\($0) (\(name))" } ?? name }

  /// Returns the help of the flag: a summary, the environment variable, and the default.
  ///
  /// - Parameters:
  ///   - summary: Help for a command in which the flag has another meaning.
  ///   - usual: Default for a command that has its own.
  func help(_ summary: String? = nil, default usual: Default? = nil) -> String {
    let note =
      switch usual ?? self.declaredDefault {
      case .unset: ""
      case .value(let text), .described(let text): ", default: \(text)"
      }
    return "\(summary ?? self.summary) [\(name)\(note)]"
  }

  /// All settings, in the order of the example file.
  static let all = SettingsFile.sections.flatMap(\.settings)

  /// Returns the setting of an environment variable. Nil for an unknown name.
  static func named(_ name: String) -> Setting? { all.first { $0.name == name } }
}
