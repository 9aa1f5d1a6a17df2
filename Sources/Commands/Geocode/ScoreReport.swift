import Domain
import Foundation

/// The two forms of a score: text for people, and JSON.
struct ScoreReport {
  let score: Score

  /// The score as text for people.
  var text: String {
    var lines = [row("kind", "rows", "correct", "accuracy")]
    lines += kinds.map { row($0.key.isEmpty ? "-" : $0.key, $0.value) }
    lines += [row("all", score.all)]
    if score.withoutPlace > 0 {
      lines.append("\(counted(score.withoutPlace, "row")) without an expected place skipped")
    }
    if !score.problems.isEmpty { lines.append("\(counted(score.problems.count, "invalid row")) skipped") }
    lines += ["", row("confidence", "rows", "correct", "accuracy")]
    lines += score.tenths.enumerated().reversed().filter { $0.element.rows > 0 }.map { tenth, count in
      row("\(Double(tenth) / 10) to \(Double(tenth + 1) / 10)", count)
    }
    lines.append(row("\(Score.confident) and above", score.confidentResults))
    if !score.misses.isEmpty { lines += ["", "misses: line, kind, query, expected, got, km, confidence"] }
    lines += score.misses.map(miss)
    return lines.joined(separator: "\n")
  }

  /// The score as a JSON object.
  var json: String {
    let json = JSONWriter.object { json in
      add(score.all, to: &json)
      json.add("skipped", score.withoutPlace)
      json.array("kinds", kinds) { json, kind in
        json.add("kind", kind.key)
        add(kind.value, to: &json)
      }
      json.object("confident") { json in
        json.add("from", Score.confident)
        add(score.confidentResults, to: &json)
      }
      json.array("byConfidence", score.tenths.enumerated()) { json, tenth in
        json.add("from", Double(tenth.offset) / 10)
        add(tenth.element, to: &json)
      }
      json.array("misses", score.misses) { add($1, to: &$0) }
      json.array("problems", score.problems) { $0.add("detail", $1) }
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private var kinds: [(key: String, value: Score.Count)] { score.kinds.sorted { $0.key < $1.key } }

  private func add(_ count: Score.Count, to json: inout JSONWriter) {
    json.add("rows", count.rows)
    json.add("correct", count.right)
    json.add("accuracy", (count.share * 10_000).rounded() / 10_000)
  }

  private func add(_ miss: Score.Miss, to json: inout JSONWriter) {
    json.add("line", miss.line)
    json.add("kind", miss.kind)
    json.add("query", miss.query)
    json.add("expected", miss.expected)
    if let km = miss.km { json.add("km", (km * 10).rounded() / 10) }
    if let got = miss.got { json.object("got") { got.write(to: &$0) } }
  }

  private func miss(_ miss: Score.Miss) -> String {
    let got =
      miss.got.map { "\($0.label) (\($0.level.name), \($0.match.name))" } ?? "no place"
    let km = miss.km.map { String(format: "%.1f km", $0) } ?? "-"
    let confidence = miss.got.map { String(format: "%.2f", $0.confidence) } ?? "-"
    // A line end or a tab in a field must not start a new line or column here.
    let fields = [miss.kind, miss.query, miss.expected].map { $0.safeLine(bytesMax: ToolLimits.tableRecordBytesMax) }
    return "\(miss.line)\t\(fields.joined(separator: "\t"))\t\(got)\t\(km)\t\(confidence)"
  }

  private func row(_ name: String, _ count: Score.Count) -> String {
    row(name, "\(count.rows)", "\(count.right)", String(format: "%.2f %%", count.share * 100))
  }

  private func row(_ name: String, _ rows: String, _ right: String, _ share: String) -> String {
    name.padding(toLength: max(28, name.count), withPad: " ", startingAt: 0)
      + [rows, right, share].map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
  }
}
