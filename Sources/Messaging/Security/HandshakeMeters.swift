import Metrics
import Telemetry

/// Counters of failed handshakes at a link. Any thread.
struct HandshakeMeters {
  /// The authenticator refused the peer's key.
  let keyNotListed: Counter
  /// The peer uses no keys.
  let plaintextPeer: Counter
  /// The peer has another public key for this server.
  let wrongServerKey: Counter
  /// The peer uses keys, and this link does not.
  let unexpectedCurve: Counter
  /// At a link without keys: the peer does not speak ZeroMQ's protocol 3, or disconnected during the handshake.
  let notZeroMQ: Counter

  init(_ link: LinkName) {
    keyNotListed = Metric.linkHandshakes.counter(link.rawValue, "key_not_listed")
    plaintextPeer = Metric.linkHandshakes.counter(link.rawValue, "plaintext_peer")
    wrongServerKey = Metric.linkHandshakes.counter(link.rawValue, "wrong_server_key")
    unexpectedCurve = Metric.linkHandshakes.counter(link.rawValue, "unexpected_curve")
    notZeroMQ = Metric.linkHandshakes.counter(link.rawValue, "not_zeromq")
  }
}
