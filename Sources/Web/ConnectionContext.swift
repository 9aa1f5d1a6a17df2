package import Hummingbird
import NIOCore

/// What a request comes with: the library's own, and the connection.
package struct ConnectionContext: RequestContext {
  /// As the HTTP library asks for it.
  package var coreContext: CoreRequestContextStorage
  private let channel: any Channel

  /// As the HTTP library asks for it.
  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// Calls back, once at most, on the connection's event loop, when the client goes before it has its answer. One that
  /// says that it sends no more may still read: it has gone `Limits.httpGoneMs` later.
  package func whenClientGone(_ callback: @escaping @Sendable () -> Void) {
    channel.eventLoop.execute { [channel] in
      do { try channel.pipeline.syncOperations.handler(type: ConnectionWatch.self).expectEnd(callback) } catch {
        // With the connection its handlers have gone.
        callback()
      }
    }
  }
}
