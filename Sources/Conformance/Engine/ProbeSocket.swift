import Domain
import Logging
import Messaging

/// A socket without encryption that passes each message to a closure. Reactor's thread only.
final class ProbeSocket: ReactorSocket {
  /// Factor above the protocol's limit up to which a run still reads a frame. libzmq ends the connection after a longer
  /// frame, and the run cannot find the reason. 16 suffices for a program that never splits its messages.
  static let overlongFactor = 16
  /// Factor for the frames of a producer, whose limit is 11 times that of a job frame. The run reads up to 2.9 MB.
  static let overlongBatchFactor = 4

  let socket: Socket
  /// Address with the actual port.
  let endpoint: Endpoint
  /// Called with a message, without ZeroMQ's routing id, the number of its connection, and the reactor's clock.
  var onReceive: (_ frames: [[UInt8]], _ connection: Int, _ nowMs: Int64) -> Void = { _, _, _ in }
  /// Number of the connection of the latest message, from 1. A ROUTER counts the routing ids that it has seen. A new id
  /// means that the program has reconnected.
  private(set) var connection = 1
  private let isRouter: Bool
  private var peers: [[UInt8]] = []

  /// Binds a ROUTER or an XPUB.
  ///
  /// - Parameter frameBytesMax: Limit above the protocol's, so that the run can read a frame that is too long.
  init(
    _ context: Reactor.Context, _ kind: Socket.Kind, bind: Endpoint, as link: LinkName, frameBytesMax: Int,
    logger: Logger
  ) throws(LinkError) {
    let isRouter = kind == .router
    self.isRouter = isRouter
    socket = try context.socket(kind, frameBytesMax: frameBytesMax)
    try socket.set(isRouter ? ZMQOption.routerMandatory : ZMQOption.xpubVerbose, 1)
    endpoint = try context.bind(socket, bind, as: link, curve: nil, logger: logger)
  }

  /// Connects a SUB or a DEALER.
  init(
    _ context: Reactor.Context, _ kind: Socket.Kind, connect endpoint: Endpoint, frameBytesMax: Int, logger: Logger
  ) throws(LinkError) {
    isRouter = false
    self.endpoint = endpoint
    socket = try context.socket(kind, frameBytesMax: frameBytesMax)
    try context.connect(socket, endpoint, logger: logger)
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard isRouter else { return onReceive(frames, connection, nowMs) }
    guard let peer = frames.first else { return }
    if let index = peers.firstIndex(of: peer) {
      connection = index + 1
    } else {
      peers.append(peer)
      connection = peers.count
    }
    onReceive(Array(frames.dropFirst()), connection, nowMs)
  }

  func tick(nowMs: Int64) -> Int64 { .max }

  func shutDown() {}

  /// Sends a message.
  ///
  /// - Parameter connection: Number of a ROUTER's connection. Nil for the latest.
  func send(_ frames: [[UInt8]], to connection: Int? = nil) {
    guard isRouter else {
      socket.send(frames: frames)
      return
    }
    let index = (connection ?? self.connection) - 1
    if peers.indices.contains(index) { socket.send(frames: [peers[index]] + frames) }
  }
}
