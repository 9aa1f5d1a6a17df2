import Domain

/// The results of all checks as text.
enum DiagnosisText {
  /// Returns a line for each check, the worst first, and a summary.
  static func lines(_ checks: [Check], isColoured: Bool) -> [String] {
    let sorted = DiagnosisText.sorted(checks)
    let rows = sorted.map { check in
      [check.verdict.text, check.id, check.finding + (check.remedy.map { ". \($0)" } ?? "")]
    }
    let lines = zip(TextTable.lines(rows), sorted).map { line, check in
      isColoured ? coloured(line, check.verdict) : line
    }
    return lines + [summary(checks)]
  }

  /// Returns an object for programs.
  static func json(service: String, _ checks: [Check]) -> String {
    let object = JSONWriter.object { json in
      json.add("service", service)
      json.add("version", ProductVersion.text)
      json.add("healthy", !checks.contains { $0.verdict == .failure })
      json.array("checks", sorted(checks)) { json, check in
        json.add("id", check.id)
        json.add("verdict", check.verdict.name)
        json.add("finding", check.finding)
        if let measure = check.measure {
          json.add("value", measure.value)
          json.add("unit", measure.unit)
        }
        if let remedy = check.remedy { json.add("remedy", remedy) }
      }
    }
    return WatchJSON.ascii(object.bytes)
  }

  /// Returns the checks with the worst first. Checks with the same verdict keep their order.
  private static func sorted(_ checks: [Check]) -> [Check] {
    Check.Verdict.allCases.flatMap { verdict in checks.filter { $0.verdict == verdict } }
  }

  private static func summary(_ checks: [Check]) -> String {
    func count(_ verdict: Check.Verdict) -> Int { checks.filter { $0.verdict == verdict }.count }
    return "\(counted(count(.failure), "failure")), \(counted(count(.warning), "warning")), "
      + "\(count(.notChecked)) not checked, \(count(.ok)) ok"
  }

  /// Colours the verdict at the start of a line.
  private static func coloured(_ line: String, _ verdict: Check.Verdict) -> String {
    let code =
      switch verdict {
      case .failure: "1;31"
      case .warning: "1;33"
      case .notChecked: "2"
      case .ok: "32"
      }
    return "\u{1B}[\(code)m\(verdict.text)\u{1B}[0m" + line.dropFirst(verdict.text.count)
  }
}
