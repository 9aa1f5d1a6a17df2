/// The result of a conformance run: a finding for each rule.
package struct ConformanceReport: Sendable, Equatable {
  /// A requirement of proto/README.md.
  package struct Rule: Sendable, Equatable {
    /// Stable name, for programs.
    package let name: String
    /// The requirement, in a sentence.
    package let requirement: String
    /// A heading of proto/README.md, with the number of the step if its steps are numbered.
    package let reference: String
  }

  /// The outcome for one rule.
  package enum Verdict: Sendable, Equatable {
    case pass
    case fail(observed: String)
    /// The run did not get far enough to judge the rule.
    case inconclusive(reason: String)
  }

  /// A rule with its verdict.
  package struct Finding: Sendable, Equatable {
    package let rule: Rule
    package let verdict: Verdict
  }

  /// The findings, in the order of the rules.
  package let findings: [Finding]

  /// True if every rule has passed.
  package var isComplete: Bool { findings.allSatisfy { $0.verdict == .pass } }
}
