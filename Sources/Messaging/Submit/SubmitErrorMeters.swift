import Metrics
import Telemetry

/// Counters of producers' requests that fail as a whole, including those without a reply. Any thread.
struct SubmitErrorMeters {
  private let malformed = Metric.submitErrors.counter("malformed")
  private let version = Metric.submitErrors.counter("unsupported_version")
  private let busy = Metric.submitErrors.counter("busy")
  private let unauthorized = Metric.submitErrors.counter("unauthorized")
  private let notLeading = Metric.submitErrors.counter("not_leading")
  private let range = Metric.submitErrors.counter("out_of_range")

  func count(_ code: Onthemap_Submit_V1_ErrorCode) {
    switch code {
    case .malformed, .unspecified, .UNRECOGNIZED: malformed.increment()
    case .unsupportedVersion: version.increment()
    case .busy: busy.increment()
    case .unauthorized: unauthorized.increment()
    case .notLeading: notLeading.increment()
    case .outOfRange: range.increment()
    }
  }
}
