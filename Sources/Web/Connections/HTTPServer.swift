import Domain
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import ServiceLifecycle

/// HTTP server on one listening socket. Hummingbird's own server can only bind an address. This one can also take over
/// a held socket, and loses no connection that it has accepted.
struct HTTPServer {
  let host: String
  /// Port. 0 selects a free one.
  let port: Int
  /// Name of the socket in systemd's store. Nil keeps the socket out of the store.
  let heldName: String?
  /// Maximum number of concurrent connections. Further connections wait in the kernel.
  let connectionsMax: Int
  let channel: HTTP1Channel
  let logger: Logger
  /// Called once, when the socket listens.
  let onListening: @Sendable (any Channel) -> Void

  /// Serves until graceful shutdown. Then it closes its socket and idle connections, and waits for open responses.
  ///
  /// - Throws: An error of the socket, also if an error ends it later.
  func run() async throws {
    let quiescing = ServerQuiescingHelper(group: MultiThreadedEventLoopGroup.singleton)
    let (connections, accepted) = AsyncStream.makeStream(of: HTTP1Channel.Value.self)
    let server = try await bind(quiescing, accepted)
    server.closeFuture.whenComplete { _ in accepted.finish() }
    let shutdown = OneShot<Void>()
    await withTaskCancellationOrGracefulShutdownHandler {
      onListening(server)
      await withDiscardingTaskGroup { group in
        for await connection in connections {
          group.addTask { await channel.handle(value: connection, logger: logger) }
        }
      }
    } onCancelOrGracefulShutdown: {
      shutdown.set(())
      HTTPServer.shutDown(server, quiescing)
    }
    guard shutdown.now != nil else {
      throw ListenError(address: "\(host):\(port)", reason: "an error has ended the listening socket")
    }
  }

  /// Accepts no more connections, and then closes the server's socket and idle connections.
  ///
  /// NIO closes connections that it has accepted but not set up together with the socket. Their requests would get no
  /// response. Each is set up in a task of its own event loop, and then in one of the server's.
  private static func shutDown(_ server: any Channel, _ quiescing: ServerQuiescingHelper) {
    server.setOption(.autoRead, value: false).flatMap {
      let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
      return EventLoopFuture.andAllComplete(loops.map { $0.submit {} }, on: server.eventLoop)
    }.flatMap {
      server.eventLoop.submit {}
    }.whenComplete { _ in
      quiescing.initiateShutdown(promise: nil)
    }
  }

  private func bind(
    _ quiescing: ServerQuiescingHelper, _ accepted: AsyncStream<HTTP1Channel.Value>.Continuation
  ) async throws -> any Channel {
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: CInt(Limits.httpBacklog))
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .serverChannelInitializer { [connectionsMax, logger] server in
        server.eventLoop.makeCompletedFuture {
          let limit = AvailableConnectionsChannelHandler(
            delegate: MaximumAvailableConnections(connectionsMax, logger: logger))
          try server.pipeline.syncOperations.addHandlers(limit, quiescing.makeServerChannelHandler(channel: server))
        }
      }
      .childChannelInitializer { [channel, logger] connection in
        channel.setup(channel: connection, logger: logger).map { value in
          // If an error has closed the server's socket, NIO closes the connection too. But the value must be consumed.
          guard case .terminated = accepted.yield(value) else { return }
          Task { await channel.handle(value: value, logger: logger) }
        }
      }
    guard let heldName else { return try await bootstrap.bind(host: host, port: port).get() }
    let held = HeldSockets.take(heldName, on: try SocketAddress.makeAddressResolvingHost(host, port: port))
    let server =
      if let held { try await bootstrap.withBoundSocket(held).get() } else {
        try await bootstrap.bind(host: host, port: port).get()
      }
    try await server.eventLoop.submit {
      try server.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self) { descriptor in
        // For a held socket, NIO has set the backlog to its own default.
        _ = listen(descriptor, CInt(Limits.httpBacklog))
        HeldSockets.store(descriptor, as: heldName)
      }
    }.get()
    return server
  }
}
