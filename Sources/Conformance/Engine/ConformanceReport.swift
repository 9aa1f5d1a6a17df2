/// What came out of an examination of somebody's program by the protocol: a finding for each rule.
package struct ConformanceReport: Sendable, Equatable {
  /// Something that proto/README.md asks for.
  package struct Rule: Sendable, Equatable {
    /// A word for machines, which stays.
    package let name: String
    /// What the protocol says.
    package let says: String
    /// Where: a heading of proto/README.md, and the step where it has steps.
    package let reference: String

    package init(name: String, says: String, reference: String) {
      self.name = name
      self.says = says
      self.reference = reference
    }
  }

  /// Whether a rule is kept.
  package enum Verdict: Sendable, Equatable {
    case holds
    case doesNotHold(seen: String)
    /// The program did not get as far as that.
    case notShown(why: String)
  }

  /// What is said of one rule.
  package struct Finding: Sendable, Equatable {
    package let rule: Rule
    package let verdict: Verdict

    package init(rule: Rule, verdict: Verdict) {
      self.rule = rule
      self.verdict = verdict
    }
  }

  /// In the order in which the rules are examined.
  package let findings: [Finding]

  package init(findings: [Finding]) { self.findings = findings }

  /// Whether every rule was shown to hold.
  package var isWhole: Bool { findings.allSatisfy { $0.verdict == .holds } }
}
