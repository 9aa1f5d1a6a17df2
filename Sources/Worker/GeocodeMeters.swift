import Domain
import Logging
import Metrics
import Telemetry

/// Durations of jobs by outcome, and a log line for each with its trace. Any thread.
struct GeocodeMeters: Sendable {
  private let located = Metric.geocodeDuration.timer("located")
  private let notFound = Metric.geocodeDuration.timer("not_found")
  private let failed = Metric.geocodeDuration.timer("failed")
  private let needsRemote = Metric.geocodeDuration.timer("remote_needed")
  private let logger: Logger

  init(logger: Logger) { self.logger = logger }

  /// Records the outcome and the duration of a job.
  func count(_ reply: WorkerReply, to job: Job, since watch: Stopwatch) {
    let (outcome, timer) =
      switch reply {
      case .outcome(.located): ("located", located)
      case .outcome(.notFound): ("not_found", notFound)
      case .outcome(.failed): ("failed", failed)
      case .needsRemote: ("remote_needed", needsRemote)
      }
    let nanoseconds = watch.stop(timer)
    guard logger.logLevel <= .debug else { return }
    var metadata: Logger.Metadata = ["outcome": "\(outcome)", "duration_us": "\(nanoseconds / 1_000)"]
    if let post = job.id.post { metadata["post"] = "\(post)" }
    if let trace = job.trace { metadata["trace_id"] = "\(trace.traceID)" }
    logger.debug("job answered", metadata: metadata)
  }
}
