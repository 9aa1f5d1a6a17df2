package import Metrics

/// Something that is measured: its name in the exposition, what it means, and its labels.
package struct Metric: Sendable {
  /// As Prometheus tells them apart.
  package enum Kind: String, Sendable {
    /// Only rises, until the process starts again.
    case counter
    /// Rises and falls.
    case gauge
    /// How many values were at most so great, for each of some bounds.
    case histogram
  }

  package let name: String
  package let kind: Kind
  /// One sentence, with what is counted.
  package let help: String
  /// Names of labels. Each has few values, and none that somebody outside makes up.
  package let labels: [String]
  /// Of a histogram: the upper bounds but the last, +Inf, rising.
  package let bounds: [Double]

  /// - Parameters:
  ///   - labels: in the order in which their values are given.
  ///   - bounds: of a histogram, rising.
  package init(_ name: String, _ kind: Kind, _ help: String, labels: [String] = [], bounds: [Double] = []) {
    self.name = name
    self.kind = kind
    self.help = help
    self.labels = labels
    self.bounds = bounds
  }

  /// Counts from 0; the same labels are the same counter. Any thread. It counts nothing where no metrics are served.
  ///
  /// - Parameter values: one for each label.
  package func counter(_ values: String...) -> Counter { Counter(label: name, dimensions: dimensions(values)) }

  /// As `counter`: shows what was set last.
  package func meter(_ values: String...) -> Meter { Meter(label: name, dimensions: dimensions(values)) }

  /// As `counter`: takes durations, and shows seconds.
  package func timer(_ values: String...) -> Timer { Timer(label: name, dimensions: dimensions(values)) }

  /// As `counter`: takes numbers.
  package func recorder(_ values: String...) -> Recorder { Recorder(label: name, dimensions: dimensions(values)) }

  /// What the metric is at the moment of a scrape.
  ///
  /// - Parameter values: one for each label.
  package func sample(_ value: some BinaryInteger, _ values: String...) -> Sample {
    Sample(metric: self, values: values, value: Double(value))
  }

  /// The same of a number with a fraction.
  package func sample(_ value: Double, _ values: String...) -> Sample {
    Sample(metric: self, values: values, value: value)
  }

  private func dimensions(_ values: [String]) -> [(String, String)] { Array(zip(labels, values)) }
}

/// A counter's or gauge's value at the moment of a scrape.
package struct Sample: Sendable {
  package let metric: Metric
  /// One for each of the metric's labels.
  package let values: [String]
  /// In the metric's unit.
  package let value: Double

  init(metric: Metric, values: [String], value: Double) {
    self.metric = metric
    self.values = values
    self.value = value
  }
}
