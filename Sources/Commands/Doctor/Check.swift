/// The result of one check of `doctor`.
struct Check: Sendable, Equatable {
  /// The verdict of a check. The order is that of the output: the worst first.
  enum Verdict: Int, Sendable, CaseIterable {
    /// A guarantee does not hold here, or the service cannot start or work.
    case failure
    /// A danger that the check cannot exclude, or a limit below the design.
    case warning
    /// The check could not run. The finding is the reason.
    case notChecked
    case ok
  }

  /// A measured value with its unit, for programs.
  struct Measure: Sendable, Equatable {
    let value: Double
    /// Unit, such as "ms" or "bytes".
    let unit: String

    init(_ value: some BinaryInteger, _ unit: String) { self.init(Double(value), unit) }

    init(_ value: Double, _ unit: String) { (self.value, self.unit) = (value, unit) }
  }

  /// Stable name, such as "data-folder-fsync".
  let id: String
  let verdict: Verdict
  /// The observed state, for people.
  let finding: String
  /// The measured value. Nil if the check measures nothing.
  let measure: Measure?
  /// The action to take. Nil if there is none.
  let remedy: String?

  private init(_ id: String, _ verdict: Verdict, _ finding: String, _ measure: Measure?, remedy: String?) {
    self.id = id
    self.verdict = verdict
    self.finding = finding
    self.measure = measure
    self.remedy = remedy
  }

  /// Returns the result of a check that found no danger.
  static func ok(_ id: String, _ finding: String, _ measure: Measure? = nil) -> Check {
    Check(id, .ok, finding, measure, remedy: nil)
  }

  /// Returns the result of a check that could not run.
  static func notChecked(_ id: String, _ reason: String) -> Check {
    Check(id, .notChecked, reason, nil, remedy: nil)
  }

  /// Returns the result of a check that found a possible danger.
  static func warning(_ id: String, _ finding: String, _ measure: Measure? = nil, remedy: String) -> Check {
    Check(id, .warning, finding, measure, remedy: remedy)
  }

  /// Returns the result of a check that found a certain danger.
  static func failure(_ id: String, _ finding: String, _ measure: Measure? = nil, remedy: String) -> Check {
    Check(id, .failure, finding, measure, remedy: remedy)
  }
}

extension Check.Verdict {
  /// Name for people.
  var text: String { self == .notChecked ? "not checked" : name }

  /// Name for programs.
  var name: String {
    switch self {
    case .failure: "failure"
    case .warning: "warning"
    case .notChecked: "not_checked"
    case .ok: "ok"
    }
  }
}
