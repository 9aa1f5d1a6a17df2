package import Metrics
import Synchronization

/// All instruments and collectors of a process: the backend of swift-metrics. Any thread.
package final class MetricRegistry: MetricsFactory {
  /// Function that returns the current values at each scrape. The function limits its own duration.
  package typealias Collector = @Sendable () async -> [Sample]

  private struct Series: Sendable {
    let labels: [(String, String)]
    let instrument: any Instrument
  }

  private struct State: Sendable {
    /// Instruments by name, and then by labels.
    var series: [String: [String: Series]] = [:]
    var kinds: [String: Metric] = [:]
    var collectors: [Collector] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds a collector, which runs at each scrape until the process ends.
  package func add(_ collector: @escaping Collector) { state.withLock { $0.collectors.append(collector) } }

  /// Media type of `text`.
  package static var mediaType: String { PrometheusText.mediaType }

  /// Returns all metrics in the text format 0.0.4, ordered by name and labels.
  package func text() async -> String {
    var families: [String: PrometheusText.Family] = [:]
    let (series, kinds, collectors) = state.withLock { ($0.series, $0.kinds, $0.collectors) }
    for (name, byLabels) in series {
      guard let metric = kinds[name] else { continue }
      families[name] = .init(
        metric: metric,
        series: byLabels.sorted { $0.key < $1.key }.map { ($0.value.labels, $0.value.instrument.reading) })
    }
    for collector in collectors {
      for sample in await collector() {
        families[sample.metric.name, default: .init(metric: sample.metric)].series.append(
          (Array(zip(sample.metric.labels, sample.values)), .number(sample.value)))
      }
    }
    return PrometheusText(families.sorted { $0.key < $1.key }.map(\.value)).text
  }

  /// Returns the counter with this name and these labels. (`MetricsFactory`)
  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    instrument(label, dimensions, .counter) { _ in CounterInstrument() } ?? CounterInstrument()
  }

  /// Returns the gauge with this name and these labels. (`MetricsFactory`)
  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    instrument(label, dimensions, .gauge) { _ in GaugeInstrument() } ?? GaugeInstrument()
  }

  /// Returns the recorder with this name and these labels. (`MetricsFactory`)
  package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    guard aggregate else {
      return instrument(label, dimensions, .gauge) { _ in GaugeInstrument() } ?? GaugeInstrument()
    }
    return histogram(label, dimensions)
  }

  /// Returns the timer with this name and these labels. It counts in seconds. Without a metric of its name in the
  /// catalogue, its only bucket is +Inf. (`MetricsFactory`)
  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    histogram(label, dimensions)
  }

  /// Removes a counter. (`MetricsFactory`)
  package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
  /// Removes a gauge. (`MetricsFactory`)
  package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
  /// Removes a recorder. (`MetricsFactory`)
  package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
  /// Removes a timer. (`MetricsFactory`)
  package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

  private func histogram(_ label: String, _ dimensions: [(String, String)]) -> HistogramInstrument {
    instrument(label, dimensions, .histogram) { HistogramInstrument(bounds: $0.bounds) }
      ?? HistogramInstrument(bounds: [])
  }

  /// Returns the instrument with this name and these labels, and creates it if necessary. Nil if the name belongs to
  /// another kind.
  private func instrument<Made: Instrument>(
    _ label: String, _ dimensions: [(String, String)], _ kind: Metric.Kind, make: (Metric) -> Made
  ) -> Made? {
    let name = MetricRegistry.name(label)
    let key = dimensions.map { "\($0)=\($1)" }.joined(separator: "\n")
    return state.withLock { state in
      let metric = state.kinds[name] ?? Metric.all[name] ?? Metric(name, kind, "")
      guard metric.kind == kind else { return nil }
      if let existing = state.series[name]?[key] { return existing.instrument as? Made }
      let made = make(metric)
      state.kinds[name] = metric
      state.series[name, default: [:]][key] = Series(labels: dimensions, instrument: made)
      return made
    }
  }

  private func remove(_ handler: AnyObject) {
    state.withLock { state in
      for name in state.series.keys {
        state.series[name] = state.series[name]?.filter { $0.value.instrument !== handler }
      }
    }
  }

  /// Returns a name that the format permits: letters, digits, underscore and colon, not beginning with a digit.
  private static func name(_ label: String) -> String {
    let name = String(
      label.unicodeScalars.map { scalar in
        scalar.isASCII
          && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_" || scalar == ":")
          ? Character(scalar) : "_"
      })
    return name.first?.isNumber ?? true ? "_" + name : name
  }
}
