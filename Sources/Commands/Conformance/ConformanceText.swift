import Conformance
import Domain

/// A conformance report for people and for programs: a line for each rule.
struct ConformanceText {
  private let report: ConformanceReport

  init(_ report: ConformanceReport) { self.report = report }

  /// The lines for people. The last one counts the verdicts.
  var lines: [String] {
    let findings = report.findings
    let holding = findings.count { $0.verdict == .holds }
    let missing = findings.count { if case .notShown = $0.verdict { true } else { false } }
    let failing = findings.count - holding - missing
    let counts = "\(holding) passed, \(failing) failed, \(missing) inconclusive"
    return findings.map(ConformanceText.line) + ["\(findings.count) rules: \(counts)"]
  }

  private static func line(_ finding: ConformanceReport.Finding) -> String {
    let rule = "\(finding.rule.says) (\(finding.rule.reference))"
    let line =
      switch finding.verdict {
      case .holds: "pass: \(rule)"
      case .doesNotHold(let seen): "fail: observed: \(seen); required: \(rule)"
      case .notShown(let why): "inconclusive: \(why); required: \(rule)"
      }
    return line.safeLine(bytesMax: .max)
  }

  /// The lines for programs: a JSON object for each rule.
  var json: [String] {
    report.findings.map { finding in
      let text = JSONWriter.object { json in
        json.add("rule", finding.rule.name)
        switch finding.verdict {
        case .holds: json.add("verdict", "pass")
        case .doesNotHold(let seen):
          json.add("verdict", "fail")
          json.add("observed", seen)
        case .notShown(let why):
          json.add("verdict", "inconclusive")
          json.add("reason", why)
        }
        json.add("requirement", finding.rule.says)
        json.add("reference", finding.rule.reference)
      }
      return WatchJSON.ascii(text.bytes)
    }
  }
}
