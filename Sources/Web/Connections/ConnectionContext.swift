package import Domain
package import Hummingbird
import NIOCore

/// What a request comes with: the library's own, and the connection.
package struct ConnectionContext: RequestContext {
  /// As the HTTP library asks for it.
  package var coreContext: CoreRequestContextStorage
  let channel: any Channel

  /// As the HTTP library asks for it.
  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// Who has connected: a proxy, where one stands in front. Nil where nobody knows.
  package var peer: IPAddress? { channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) } }

  /// Calls back, once at most, on the connection's event loop, when the client goes before it has its answer. One that
  /// says that it sends no more may still read: it has gone `Limits.httpDisconnectGraceMs` later.
  package func onClientDisconnect(_ callback: @escaping @Sendable () -> Void) {
    channel.eventLoop.execute { [channel] in
      guard let watch = channel.watch else { return callback() }
      watch.observeDisconnect { _ in callback() }
    }
  }

  /// Hands out the connection, on its event loop, for an answer that goes on: its head must have been written. Nil when
  /// it has gone meanwhile.
  package func openStream(_ body: @escaping @Sendable (StreamingResponse?) -> Void) {
    channel.eventLoop.execute { [channel] in
      _ = try? channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: .init(Limits.streamSendBytes))
      body(channel.watch.map { StreamingResponse(watch: $0, eventLoop: channel.eventLoop) })
    }
  }
}

extension Channel {
  /// On the event loop. With the connection its handlers have gone.
  fileprivate var watch: HTTPConnectionGuard? { try? pipeline.syncOperations.handler(type: HTTPConnectionGuard.self) }
}
