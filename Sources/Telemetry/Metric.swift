package import Metrics

/// A metric: its name in a scrape, its meaning, and its labels.
package struct Metric: Sendable {
  /// Kind of metric, by Prometheus' name.
  package enum Kind: String, Sendable {
    /// A value that only rises, until the process restarts.
    case counter
    /// A value that rises and falls.
    case gauge
    /// Cumulative histogram: the count of values up to each bound.
    case histogram
  }

  package let name: String
  package let kind: Kind
  /// Meaning of the metric: one sentence.
  package let help: String
  /// Names of labels. A label has few values, and no client can choose them.
  package let labels: [String]
  /// Upper bounds of a histogram in ascending order, without +Inf.
  package let bounds: [Double]

  /// Creates a metric.
  ///
  /// - Parameters:
  ///   - labels: Names of labels, in the order of their values.
  ///   - bounds: Upper bounds of a histogram, in ascending order.
  package init(_ name: String, _ kind: Kind, _ help: String, labels: [String] = [], bounds: [Double] = []) {
    self.name = name
    self.kind = kind
    self.help = help
    self.labels = labels
    self.bounds = bounds
  }

  /// Returns the counter with these label values, which starts at 0. Equal labels share one counter. Without a metrics
  /// endpoint, the counter counts nothing. Any thread.
  ///
  /// - Parameter values: Label values, one for each label.
  package func counter(_ values: String...) -> Counter { Counter(label: name, dimensions: dimensions(values)) }

  /// Returns the gauge with these label values, as `counter` does. Its value is the last one set.
  package func meter(_ values: String...) -> Meter { Meter(label: name, dimensions: dimensions(values)) }

  /// Returns the timer with these label values, as `counter` does. A scrape shows its durations in seconds.
  package func timer(_ values: String...) -> Timer { Timer(label: name, dimensions: dimensions(values)) }

  /// Returns the recorder of numbers with these label values, as `counter` does.
  package func recorder(_ values: String...) -> Recorder { Recorder(label: name, dimensions: dimensions(values)) }

  /// Returns the metric's value for a scrape.
  ///
  /// - Parameter values: Label values, one for each label.
  package func sample(_ value: some BinaryInteger, _ values: String...) -> Sample {
    Sample(metric: self, values: values, value: Double(value))
  }

  /// Returns the metric's fractional value for a scrape.
  package func sample(_ value: Double, _ values: String...) -> Sample {
    Sample(metric: self, values: values, value: value)
  }

  private func dimensions(_ values: [String]) -> [(String, String)] { Array(zip(labels, values)) }
}

/// Value of a counter or gauge for a scrape.
package struct Sample: Sendable {
  package let metric: Metric
  /// Label values, one for each of the metric's labels.
  package let values: [String]
  /// Value in the metric's unit.
  package let value: Double

  init(metric: Metric, values: [String], value: Double) {
    self.metric = metric
    self.values = values
    self.value = value
  }
}
