import Metrics
import Telemetry

/// Counts who does not get in at a link with keys. Any thread.
struct HandshakeMeters {
  /// The authenticator says no.
  let denied: Counter
  /// The peer speaks in plain text.
  let noKeys: Counter
  /// The peer has another public key for this server.
  let wrongKey: Counter

  init(_ link: LinkName) {
    denied = Metric.linkHandshakes.counter(link.rawValue, "denied")
    noKeys = Metric.linkHandshakes.counter(link.rawValue, "no_keys")
    wrongKey = Metric.linkHandshakes.counter(link.rawValue, "wrong_key")
  }
}
