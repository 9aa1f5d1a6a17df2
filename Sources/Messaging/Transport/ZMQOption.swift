import CZeroMQ

/// The libzmq options that the sockets set, by the names of libzmq's documentation. All options belong to the stable
/// API of 4.3.4.
package enum ZMQOption {
  /// ROUTER option: a message to an unknown peer is an error. Without the option, libzmq drops the message silently.
  package static let routerMandatory = ZMQ_ROUTER_MANDATORY
  /// DEALER option: without a connection, libzmq refuses a message instead of queueing it.
  static let immediate = ZMQ_IMMEDIATE
  /// XPUB option: reports every subscription, even to a topic that another peer already has.
  package static let xpubVerbose = ZMQ_XPUB_VERBOSE
  /// XPUB option: reports every subscription, and applies only subscriptions that the program sets.
  static let xpubManual = ZMQ_XPUB_MANUAL
  /// Maximum number of messages queued for a slow peer.
  static let sendHighWater = ZMQ_SNDHWM
  /// Maximum number of messages queued for a slow reader.
  static let receiveHighWater = ZMQ_RCVHWM
}
