import CZeroMQ

/// libzmq's options that the stations set, by the names of its documentation. Stable API of 4.3.4 only.
package enum ZMQOption {
  /// ROUTER: an unknown peer is an error instead of silence.
  package static let routerMandatory = ZMQ_ROUTER_MANDATORY
  /// DEALER: without a connection a message is refused instead of kept.
  static let immediate = ZMQ_IMMEDIATE
  /// XPUB: every subscription is told, also one that somebody else has: a rejoin must be seen.
  package static let xpubVerbose = ZMQ_XPUB_VERBOSE
  /// XPUB: reports every subscription, and applies only those that the station sets.
  static let xpubManual = ZMQ_XPUB_MANUAL
  /// Messages kept for a slow peer.
  static let sendHighWater = ZMQ_SNDHWM
  /// Messages kept for a slow reader.
  static let receiveHighWater = ZMQ_RCVHWM
}
