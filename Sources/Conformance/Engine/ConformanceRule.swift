/// The rules for one kind of program. A new rule is a case with its text here, and a step of the suite that judges it.
protocol ConformanceRule: CaseIterable, Hashable, Sendable, RawRepresentable where RawValue == String {
  /// The protocol's requirement, and its section in proto/README.md.
  var text: (requirement: String, reference: String) { get }
}

extension ConformanceRule {
  /// The rule as the report names it.
  var rule: ConformanceReport.Rule {
    let (requirement, reference) = text
    return ConformanceReport.Rule(name: rawValue, requirement: requirement, reference: reference)
  }
}
