import Metrics
import Telemetry

/// Counters of failed handshakes at a link. Any thread.
struct HandshakeMeters {
  /// Handshakes with a key that is not on the allowlist.
  let keyNotListed: Counter
  /// Handshakes of peers without keys, at a link with keys.
  let plaintextPeer: Counter
  /// Handshakes of peers that have another public key for this server.
  let wrongServerKey: Counter
  /// Handshakes of peers with keys, at a link without keys.
  let unexpectedCurve: Counter
  /// Handshakes at a link without keys in which the peer disconnected, or did not speak version 3 of ZeroMQ's protocol
  /// (ZMTP).
  let notZeroMQ: Counter

  init(_ link: LinkName) {
    keyNotListed = Metric.linkHandshakes.counter(link.rawValue, "key_not_listed")
    plaintextPeer = Metric.linkHandshakes.counter(link.rawValue, "plaintext_peer")
    wrongServerKey = Metric.linkHandshakes.counter(link.rawValue, "wrong_server_key")
    unexpectedCurve = Metric.linkHandshakes.counter(link.rawValue, "unexpected_curve")
    notZeroMQ = Metric.linkHandshakes.counter(link.rawValue, "not_zeromq")
  }
}
