/// Prometheus' text format 0.0.4. Pure, so that tests can use tables.
struct PrometheusText {
  /// Value of one metric with one set of labels.
  enum Reading: Equatable {
    case number(Double)
    /// Counts of values, one for each bound and one for values above all bounds, and the sum of the values.
    case histogram(bounds: [Double], counts: [UInt64], sum: Double)
  }

  /// A metric with all its sets of labels.
  struct Family {
    let metric: Metric
    var series: [(labels: [(String, String)], reading: Reading)] = []
  }

  /// Media type of the format.
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  private(set) var text = ""

  /// Writes the text.
  ///
  /// - Parameter families: Metrics in the order of the output, one for each name.
  init(_ families: [Family]) {
    for family in families where !family.series.isEmpty {
      let metric = family.metric
      if !metric.help.isEmpty { text += "# HELP \(metric.name) \(Self.escaped(metric.help, quotes: false))\n" }
      text += "# TYPE \(metric.name) \(metric.kind.rawValue)\n"
      for (labels, reading) in family.series { add(metric.name, labels, reading) }
    }
  }

  private mutating func add(_ name: String, _ labels: [(String, String)], _ reading: Reading) {
    switch reading {
    case .number(let number): line(name, labels, Self.text(number))
    case .histogram(let bounds, let counts, let sum):
      var total: UInt64 = 0
      for (bound, count) in zip(bounds + [.infinity], counts) {
        total += count
        line(name + "_bucket", labels + [("le", Self.text(bound))], "\(total)")
      }
      line(name + "_sum", labels, Self.text(sum))
      line(name + "_count", labels, "\(total)")
    }
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: String) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }.joined(separator: ",") + "}"
    }
    text += " \(value)\n"
  }

  /// Returns a number in a form of Go that Prometheus reads.
  static func text(_ number: Double) -> String {
    if number.isNaN { return "NaN" }
    guard number.isFinite else { return number < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
