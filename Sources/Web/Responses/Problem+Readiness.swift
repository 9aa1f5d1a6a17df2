import HTTPTypes

extension Problem {
  /// Problem of a process that is not ready: none of its geocoders has a session at ingest.
  package static let noSession = Problem(
    .serviceUnavailable, "no_session",
    "no geocoder of this process has a session at ingest: it looks nothing up; its log says why")
}
