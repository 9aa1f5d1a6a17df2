/// A setting of the program, declared once: its flag with the help, its environment variable, its default, and its part
/// of the example file.
struct Setting: Sendable, Equatable {
  /// Value of a setting that nobody sets.
  enum Default: Sendable, Equatable {
    case unset
    case value(String)
    /// The program computes the value, or does without one. The text describes it in the help.
    case described(String)
  }

  /// Environment variable.
  let name: String
  /// Flag as people type it. Nil for secrets, since the list of processes shows flags.
  let flag: String?
  let declaredDefault: Default
  /// Value in the example file, where there is no default.
  let example: String
  /// True for a value that is never shown.
  let isSecret: Bool
  /// Summary of the flag.
  let summary: String
  /// Comment in the example file. Empty for a setting that shares the comment of the one before.
  let explanation: String
  /// Flags in that comment, where they are others than `flag`.
  let flagNote: String?

  init(
    _ name: String, flag: String? = nil, default usual: Default = .unset, example: String = "", isSecret: Bool = false,
    summary: String = "", explanation: String = "", flagNote: String? = nil
  ) {
    (self.name, self.flag, self.declaredDefault, self.example) = (name, flag, usual, example)
    (self.isSecret, self.summary, self.explanation, self.flagNote) = (isSecret, summary, explanation, flagNote)
  }

  /// Value in force without a flag, a variable or a file. Empty where there is none.
  var defaultValue: String { if case .value(let value) = declaredDefault { value } else { "" } }

  /// Value in the example file: the default or the example.
  var exampleValue: String { if case .value(let value) = declaredDefault { value } else { example } }

  /// The flag and the environment's name, for messages.
  var title: String { title(flag: flag) }

  /// The same for a command whose flag has another name.
  func title(flag: String?) -> String { flag.map { "\($0) (\(name))" } ?? name }

  /// Returns a flag's help: a summary, the environment variable, and the default.
  ///
  /// - Parameters:
  ///   - summary: for a command where the flag means something else.
  ///   - usual: for a command with another default.
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

  /// Returns the setting of an environment variable. Nil for a name that nothing reads.
  static func named(_ name: String) -> Setting? { all.first { $0.name == name } }
}
