import HTTPTypes

extension Problem {
  /// The problem of a process that is not ready because none of its workers has a session at ingest.
  package static let noWorkerSession = Problem(
    .serviceUnavailable, "no_worker_session",
    "no worker of this process has a session at ingest; its log has the reason")
}
