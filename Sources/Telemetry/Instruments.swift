import Metrics
import Synchronization

/// Backend of a swift-metrics instrument. Any thread.
protocol Instrument: AnyObject, Sendable {
  var reading: PrometheusText.Reading { get }
}

/// Counter: one atomic number.
final class CounterInstrument: Instrument, CounterHandler {
  private let count = Atomic<Int64>(0)

  var reading: PrometheusText.Reading { .number(Double(count.load(ordering: .relaxed))) }

  func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }

  func reset() { count.store(0, ordering: .relaxed) }
}

/// Gauge, and recorder that does not aggregate.
final class GaugeInstrument: Instrument, MeterHandler, RecorderHandler {
  private let value = Mutex(0.0)

  var reading: PrometheusText.Reading { .number(value.withLock { $0 }) }

  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { self.value.withLock { $0 = value } }
  func increment(by amount: Double) { value.withLock { $0 += amount } }
  func decrement(by amount: Double) { value.withLock { $0 -= amount } }
  func record(_ value: Int64) { set(Double(value)) }
  func record(_ value: Double) { set(value) }
}

/// Histogram with fixed bounds.
final class HistogramInstrument: Instrument, TimerHandler, RecorderHandler {
  private struct State: Sendable {
    var counts: [UInt64]
    var sum = 0.0
  }

  private let bounds: [Double]
  private let state: Mutex<State>

  /// Creates a histogram.
  ///
  /// - Parameter bounds: Upper bounds in ascending order.
  init(bounds: [Double]) {
    self.bounds = bounds
    state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
  }

  var reading: PrometheusText.Reading {
    let state = state.withLock { $0 }
    return .histogram(bounds: bounds, counts: state.counts, sum: state.sum)
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    // A value equal to a bound belongs to the bucket of that bound.
    var (low, high) = (0, bounds.count)
    while low < high {
      let middle = (low + high) / 2
      if value <= bounds[middle] { high = middle } else { low = middle + 1 }
    }
    let index = low
    state.withLock { state in
      state.counts[index] += 1
      state.sum += value
    }
  }
}
