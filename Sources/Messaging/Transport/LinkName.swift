/// The listening links. The raw values are their names in settings, logs and ZAP domains.
package enum LinkName: String, Sendable, CaseIterable, CustomStringConvertible {
  /// The link to which producers connect.
  case submit
  /// The link to which workers connect.
  case jobs
  /// The link to which feeds connect.
  case changes
  /// The link to which gateways connect.
  case gateway
  /// The link to which subscribers connect.
  case feed
  /// The link to which clients connect for queries of a feed.
  case query

  package var description: String { rawValue }

  /// The link's ZAP domain.
  var domain: String { "otm.\(rawValue)" }
}
