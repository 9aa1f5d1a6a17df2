import Foundation
import Testing

@Suite("Prometheus rules and configuration")
struct PrometheusTests {
  private let rules = DeployFile("deploy/prometheus/rules.yml")
  private let configuration = DeployFile("deploy/prometheus/prometheus.yml")
  private static let catalogue = DeployFile("Sources/Telemetry/Metric+Catalogue.swift")

  /// Every metric of the program, with its type, label names and help.
  private static let metrics: [String: (kind: String, labels: [String], help: String)] = {
    let pattern = #/Metric\(\s*"([a-z_]+)", \.(\w+),\s*"([^"]+)"(?:,\s*labels: \[([^\]]*)\])?/#
    return Dictionary(
      uniqueKeysWithValues: catalogue.text.matches(of: pattern).map { match in
        let labels = match.4?.split(separator: ", ").map { $0.trimmingCharacters(in: ["\""]) } ?? []
        return (String(match.1), (String(match.2), labels, String(match.3)))
      })
  }()

  @Test("Every alert uses existing metrics and labels, and has a severity and a summary")
  func alerts() {
    func rule(_ file: DeployFile) -> [String] {
      let alerts = file.text.components(separatedBy: "- alert: ").dropFirst()
      return alerts.flatMap { alert -> [String] in
        let name = alert.prefix { $0 != "\n" }
        let expression = alert.components(separatedBy: "labels: {severity")[0]
        var errors: [String] = []
        let used = DeployFile(file.path, expression).matches(of: #"\b((?:onthemap|process)_[a-z_]+)"#)
        if used.isEmpty, !expression.contains("up{") { errors.append("\(name) uses no metric.") }
        for word in used where Self.metric(word) == nil { errors.append("\(name): there is no \(word).") }
        for match in expression.matches(of: #/\b((?:onthemap|process)_[a-z_]+)\{([a-z_]+)/#) {
          let labels = (Self.metric(String(match.1))?.labels ?? []) + ["job", "instance", "le"]
          if !labels.contains(String(match.2)) { errors.append("\(name): \(match.1) has no \(match.2).") }
        }
        if alert.firstMatch(of: #/labels: \{severity: (critical|warning|info)\}/#) == nil {
          errors.append("\(name) has no severity.")
        }
        return errors + (alert.contains("summary: \"") ? [] : ["\(name) has no summary."])
      }
    }
    enforce(
      [rules], to: rule,
      bad: [
        rules.with("onthemap_queue_workers ==", replacedBy: "onthemap_workers =="),
        rules.with("{outcome=", replacedBy: "{result="), rules.with("severity: info", replacedBy: "severity: high"),
        rules.with("summary:", replacedBy: "summry:"),
      ])
  }

  @Test("deploy/Monitor.md has a row for each alert, and for no other")
  func documented() {
    let alerts = Set(rules.matches(of: #"- alert: (\w+)$"#))
    #expect(alerts.count > 10)
    func rule(_ file: DeployFile) -> [String] {
      let rows = Set(file.matches(of: #"^\| `(OnTheMap\w+)` \|"#))
      return alerts.subtracting(rows).sorted().map { "\($0) has no row." }
        + rows.subtracting(alerts).sorted().map { "there is no \($0)." }
    }
    let document = DeployFile("deploy/Monitor.md")
    enforce(
      [document], to: rule,
      bad: [
        document.with("| `OnTheMapDown` |", replacedBy: "| `OnTheMapUp` |"),
        document.with("| `OnTheMapDown` |", replacedBy: "| down |"),
      ])
  }

  /// Returns the metric that a name in an expression belongs to.
  private static func metric(_ name: String) -> (kind: String, labels: [String], help: String)? {
    let base = String(name.replacing(#/_(bucket|sum|count)$/#, with: ""))
    return metrics[name] ?? metrics[base].flatMap { $0.kind == "histogram" ? $0 : nil }
  }

  @Test("The configuration scrapes the default address of every role and loads the rules")
  func targets() {
    let options = ["Ingest", "Feed", "Worker"].map {
      DeployFile("Sources/Commands/Settings/Table/Setting+\($0).swift")
        .matches(of: #"OPERATIONS", flag: "--operations", default: \.value\("([\d.:]+)"\)"#)
    }
    func rule(_ file: DeployFile) -> [String] {
      let expected = options.flatMap(\.self).sorted()
      let targets = file.matches(of: #"targets: \["([\d.:]+)"\]"#).sorted()
      let errors = expected.count == 3 && targets == expected ? [] : ["it scrapes \(targets), not \(expected)."]
      return errors + (file.text.contains("\nrule_files: [rules.yml]\n") ? [] : ["it does not read the rules."])
    }
    enforce(
      [configuration], to: rule,
      bad: [configuration.with("9465", replacedBy: "9467"), configuration.with("rule_files:", replacedBy: "#")])
  }

  @Test("The tables of Metrics.md equal the metric catalogue")
  func tables() {
    func rule(_ file: DeployFile) -> [String] {
      Self.metrics.sorted { $0.key < $1.key }.compactMap { name, metric in
        let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
        let row = "| `\(name)` | \(metric.kind) | \(labels) | \(metric.help) |"
        return file.lines.contains(Substring(row)) ? nil : "this row is missing: \(row)"
      }
        + file.matches(of: #"^\| `((?:onthemap|process)_[a-z_]+)`"#).filter { Self.metrics[$0] == nil }
        .map { "there is no \($0)." }
    }
    #expect(Self.metrics.count > 40)
    let document = DeployFile("Sources/Telemetry/Telemetry.docc/Metrics.md")
    enforce(
      [document], to: rule,
      bad: [
        document.with("| `onthemap_feed_seq` | gauge", replacedBy: "| `onthemap_feed_seq` | counter"),
        document.with("| `process_threads`", replacedBy: "| `process_thread`"),
      ])
  }

  @Test("promtool accepts the rules and the configuration")
  func understood() throws {
    let promtool = try #require(Program.promtool)
    try enforce(
      [rules], to: { try refusal(by: promtool, "check", "rules", "rules.yml", rules: $0) },
      bad: [
        rules.with("== 0", replacedBy: "== =")
      ])
    try enforce(
      [rules], to: { try refusal(by: promtool, "check", "config", "prometheus.yml", rules: $0) },
      bad: [rules.with("groups:", replacedBy: "group:")])
  }

  @Test("Every alert has a unit test in which it fires")
  func fires() throws {
    let promtool = try #require(Program.promtool)
    let tests = DeployFile("deploy/prometheus/rules_test.yml")
    for alert in rules.matches(of: #"- alert: (\w+)$"#) {
      #expect(
        tests.text.range(of: #"alertname: \#(alert)\n[^\n]*\n\s*exp_alerts:\n"#, options: .regularExpression) != nil,
        "\(alert) has no unit test in which it fires.")
    }
    try enforce(
      [rules], to: { try refusal(by: promtool, "test", "rules", "rules_test.yml", rules: $0) },
      bad: [
        rules.with("oldest_age_seconds > 60", replacedBy: "oldest_age_seconds > 600"),
        rules.with("state!=\"dead\"", replacedBy: ""),
      ])
  }

  /// Returns promtool's error for deploy/prometheus with other rules, or nothing if it accepts them.
  private func refusal(by promtool: Program, _ arguments: String..., rules: DeployFile) throws -> [String] {
    try Deployment.withFolder { folder in
      for name in ["prometheus.yml", "rules_test.yml"] {
        try Data(DeployFile("deploy/prometheus/\(name)").text.utf8).write(to: folder.appending(path: name))
      }
      try Data(rules.text.utf8).write(to: folder.appending(path: "rules.yml"))
      let (status, output) = try promtool.run(arguments, at: folder)
      return status == 0 ? [] : [output]
    }
  }
}
