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
  /// says that it sends no more may still read: it has gone `Limits.httpGoneMs` later.
  package func whenClientGone(_ callback: @escaping @Sendable () -> Void) {
    channel.eventLoop.execute { [channel] in
      guard let watch = channel.watch else { return callback() }
      watch.expectEnd { _ in callback() }
    }
  }

  /// Hands out the connection, on its event loop, for an answer that goes on: its head must have been written. Nil when
  /// it has gone meanwhile.
  package func openAnswer(_ body: @escaping @Sendable (OpenAnswer?) -> Void) {
    channel.eventLoop.execute { [channel] in
      _ = try? channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: .init(Limits.streamSendBytes))
      body(channel.watch.map { OpenAnswer(watch: $0, eventLoop: channel.eventLoop) })
    }
  }
}

extension Channel {
  /// On the event loop. With the connection its handlers have gone.
  fileprivate var watch: ConnectionWatch? { try? pipeline.syncOperations.handler(type: ConnectionWatch.self) }
}
