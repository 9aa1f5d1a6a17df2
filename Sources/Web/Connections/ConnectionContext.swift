package import Domain
package import Hummingbird
import NIOCore

/// Context of a request, with Hummingbird's own values and the connection.
package struct ConnectionContext: RequestContext {
  /// Witness of `RequestContext`.
  package var coreContext: CoreRequestContextStorage
  let channel: any Channel

  /// Witness of `RequestContext`.
  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// Address of the connection's other end, which may be a reverse proxy. Nil if it is unknown.
  package var peer: IPAddress? { channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) } }

  /// Calls back, at most once and on the connection's event loop, when the client disconnects before it has its
  /// response.
  ///
  /// A client that closes only its sending side may still read. It counts as disconnected
  /// `Limits.httpDisconnectGraceMs` later.
  package func onClientDisconnect(_ callback: @escaping @Sendable () -> Void) {
    channel.eventLoop.execute { [channel] in
      guard let connectionGuard = channel.connectionGuard else { return callback() }
      connectionGuard.observeDisconnect { _ in callback() }
    }
  }

  /// Passes the connection to `body`, on its event loop, for a streaming response. Call this after the head is written.
  /// `body` gets nil if the connection is closed.
  package func openStream(_ body: @escaping @Sendable (StreamingResponse?) -> Void) {
    channel.eventLoop.execute { [channel] in
      _ = try? channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: .init(Limits.streamSendBytes))
      body(channel.connectionGuard.map { StreamingResponse(connectionGuard: $0, eventLoop: channel.eventLoop) })
    }
  }
}

extension Channel {
  /// The connection's guard. Nil if the connection is closed. Thread: the event loop.
  fileprivate var connectionGuard: HTTPConnectionGuard? {
    try? pipeline.syncOperations.handler(type: HTTPConnectionGuard.self)
  }
}
