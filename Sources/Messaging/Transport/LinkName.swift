/// The links that listen, by the names of settings, logs and ZAP's domains.
package enum LinkName: String, Sendable, CaseIterable, CustomStringConvertible {
  /// Producers connect to it.
  case submit
  /// Workers connect to it.
  case jobs
  /// Feeds connect to it.
  case changes
  /// Subscribers connect to it.
  case feed
  /// Who asks a feed connects to it.
  case query

  package var description: String { rawValue }

  /// ZAP's.
  var domain: String { "otm.\(rawValue)" }
}
