package import Domain
package import Hummingbird
package import Logging
import NIOCore

/// Context of a request, with Hummingbird's own values and the request's client.
package struct ConnectionContext: RequestContext {
  /// The way by which a request came.
  private enum Origin {
    case connection(any Channel)
    case gateway(ForwardedClient)
  }

  /// Witness of `RequestContext`.
  package var coreContext: CoreRequestContextStorage
  private let origin: Origin

  /// Witness of `RequestContext`.
  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    origin = .connection(source.channel)
  }

  /// Creates the context of a request that a gateway forwards.
  package init(_ client: ForwardedClient, logger: Logger) {
    coreContext = .init(source: ForwardedRequestSource(logger: logger))
    origin = .gateway(client)
  }

  /// The connection of the request. Nil for a forwarded request.
  var channel: (any Channel)? {
    if case .connection(let channel) = origin { channel } else { nil }
  }

  /// Address of the connection's other end, which may be a reverse proxy. For a forwarded request it is the client's
  /// address, as the gateway determined it. Nil if it is unknown.
  package var peer: IPAddress? {
    switch origin {
    case .connection(let channel): channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
    case .gateway(let client): client.address
    }
  }

  /// Calls back, at most once, when the client disconnects before it has its response. The callback runs on the
  /// connection's event loop, or on the thread that calls `ForwardedClient.disconnect`.
  ///
  /// A client that has closed only its sending side still reads, and gets its response. `HTTPConnectionGuard` finds out
  /// whether such a client has disconnected.
  package func onClientDisconnect(_ callback: @escaping @Sendable () -> Void) {
    switch origin {
    case .connection(let channel):
      channel.eventLoop.execute {
        guard let connectionGuard = channel.connectionGuard else { return callback() }
        connectionGuard.observeDisconnect { _ in callback() }
      }
    case .gateway(let client): client.observeDisconnect(callback)
    }
  }

  /// Calls back, at most once, when the request must not wait any longer for an outcome or a place. The reason is that
  /// the client disconnects, or that its gateway shuts down. The threads are those of `onClientDisconnect`.
  package func onWaitEnd(_ callback: @escaping @Sendable () -> Void) {
    switch origin {
    case .connection: onClientDisconnect(callback)
    case .gateway(let client): client.observeWaitEnd(callback)
    }
  }

  /// Passes the connection to `body`, on its event loop, for a streaming response. Call this after the head is written.
  /// `body` gets nil if the connection is closed, and for a forwarded request.
  package func openStream(_ body: @escaping @Sendable (StreamingResponse?) -> Void) {
    guard case .connection(let channel) = origin else { return body(nil) }
    channel.eventLoop.execute {
      _ = try? channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: .init(Limits.streamSendBytes))
      body(channel.connectionGuard.map { StreamingResponse(connectionGuard: $0, eventLoop: channel.eventLoop) })
    }
  }
}

/// Source of the context of a forwarded request.
private struct ForwardedRequestSource: RequestContextSource {
  let logger: Logger
}

extension Channel {
  /// The connection's guard. Nil if the connection is closed. Thread: the event loop.
  fileprivate var connectionGuard: HTTPConnectionGuard? {
    try? pipeline.syncOperations.handler(type: HTTPConnectionGuard.self)
  }
}
