import Conformance
import Domain

/// A conformance report for people and for programs: a line for each rule.
struct ConformText {
  private let report: ConformanceReport

  init(_ report: ConformanceReport) { self.report = report }

  /// The lines for people. The last one counts the verdicts.
  var lines: [String] {
    let findings = report.findings
    let holding = findings.count { $0.verdict == .holds }
    let missing = findings.count { if case .notShown = $0.verdict { true } else { false } }
    let counts = "\(findings.count) rules: \(holding) hold, \(findings.count - holding - missing) do not hold, "
    return findings.map(ConformText.line) + [counts + "\(missing) not shown"]
  }

  private static func line(_ finding: ConformanceReport.Finding) -> String {
    let rule = "\(finding.rule.says) (\(finding.rule.reference))"
    let line =
      switch finding.verdict {
      case .holds: "holds: \(rule)"
      case .doesNotHold(let seen): "does not hold: seen: \(seen); the protocol says: \(rule)"
      case .notShown(let why): "not shown: \(why); the protocol says: \(rule)"
      }
    return line.safeLine(bytesMax: .max)
  }

  /// The lines for programs: a JSON object for each rule.
  var json: [String] {
    report.findings.map { finding in
      let text = JSONWriter.object { json in
        json.add("rule", finding.rule.name)
        switch finding.verdict {
        case .holds: json.add("verdict", "holds")
        case .doesNotHold(let seen):
          json.add("verdict", "does_not_hold")
          json.add("seen", seen)
        case .notShown(let why):
          json.add("verdict", "not_shown")
          json.add("why", why)
        }
        json.add("says", finding.rule.says)
        json.add("reference", finding.rule.reference)
      }
      return WatchJSON.ascii(text.bytes)
    }
  }
}
