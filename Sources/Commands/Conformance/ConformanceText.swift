import Conformance
import Domain

/// A conformance report for people and for programs: a line for each rule.
struct ConformanceText {
  private let report: ConformanceReport

  init(_ report: ConformanceReport) { self.report = report }

  /// The lines for people. The last one counts the verdicts.
  var lines: [String] {
    let findings = report.findings
    let holding = findings.count { $0.verdict == .pass }
    let missing = findings.count { if case .inconclusive = $0.verdict { true } else { false } }
    let failing = findings.count - holding - missing
    let counts = "\(holding) passed, \(failing) failed, \(missing) inconclusive"
    return findings.map(ConformanceText.line) + ["\(findings.count) rules: \(counts)"]
  }

  private static func line(_ finding: ConformanceReport.Finding) -> String {
    let rule = "\(finding.rule.requirement) (\(finding.rule.reference))"
    let line =
      switch finding.verdict {
      case .pass: "pass: \(rule)"
      case .fail(let observed): "fail: observed: \(observed); required: \(rule)"
      case .inconclusive(let reason): "inconclusive: \(reason); required: \(rule)"
      }
    return line.safeLine(bytesMax: .max)
  }

  /// The lines for programs: a JSON object for each rule.
  var json: [String] {
    report.findings.map { finding in
      let text = JSONWriter.object { json in
        json.add("rule", finding.rule.name)
        switch finding.verdict {
        case .pass: json.add("verdict", "pass")
        case .fail(let observed):
          json.add("verdict", "fail")
          json.add("observed", observed)
        case .inconclusive(let reason):
          json.add("verdict", "inconclusive")
          json.add("reason", reason)
        }
        json.add("requirement", finding.rule.requirement)
        json.add("reference", finding.rule.reference)
      }
      return WatchJSON.ascii(text.bytes)
    }
  }
}
