import CZeroMQ

/// The libzmq options that the sockets set, with the names of its documentation. All belong to the stable API of 4.3.4.
package enum ZMQOption {
  /// ROUTER option: an unknown peer is an error instead of silence.
  package static let routerMandatory = ZMQ_ROUTER_MANDATORY
  /// DEALER option: without a connection, a message is refused instead of queued.
  static let immediate = ZMQ_IMMEDIATE
  /// XPUB option: reports every subscription, also one that another peer already has, because a rejoin must be seen.
  package static let xpubVerbose = ZMQ_XPUB_VERBOSE
  /// XPUB option: reports every subscription, and applies only those that the program sets.
  static let xpubManual = ZMQ_XPUB_MANUAL
  /// Maximum number of messages queued for a slow peer.
  static let sendHighWater = ZMQ_SNDHWM
  /// Maximum number of messages queued for a slow reader.
  static let receiveHighWater = ZMQ_RCVHWM
}
