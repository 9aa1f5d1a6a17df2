import Metrics
import Telemetry

/// Counts who does not get in at a link. Any thread.
struct HandshakeMeters {
  /// The authenticator says no.
  let denied: Counter
  /// The peer speaks in plain text.
  let noKeys: Counter
  /// The peer has another public key for this server.
  let wrongKey: Counter
  /// The peer uses keys, and this link does not.
  let keys: Counter
  /// At a link without keys: what came is no ZeroMQ of this time, or the peer went away in the middle.
  let noZeroMQ: Counter

  init(_ link: LinkName) {
    denied = Metric.linkHandshakes.counter(link.rawValue, "denied")
    noKeys = Metric.linkHandshakes.counter(link.rawValue, "no_keys")
    wrongKey = Metric.linkHandshakes.counter(link.rawValue, "wrong_key")
    keys = Metric.linkHandshakes.counter(link.rawValue, "keys")
    noZeroMQ = Metric.linkHandshakes.counter(link.rawValue, "no_zeromq")
  }
}
