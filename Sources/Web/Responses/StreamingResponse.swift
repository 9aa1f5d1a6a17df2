package import NIOCore

/// An answer that goes on for as long as both ends want: it is written without waiting for anybody. Thread: the
/// event loop.
package struct StreamingResponse {
  private let watch: HTTPConnectionGuard
  /// The connection's.
  package let eventLoop: any EventLoop

  init(watch: HTTPConnectionGuard, eventLoop: any EventLoop) {
    self.watch = watch
    self.eventLoop = eventLoop
  }

  /// Whether the connection takes more at the moment: what is written while it does not is kept in memory.
  package var isWritable: Bool { watch.isWritable }

  /// Writes these, and sends them.
  package func write(_ buffers: [ByteBuffer]) { watch.push(buffers) }

  /// Ends the connection, whatever the client has not taken yet.
  package func close() { watch.close() }

  /// Calls back, once at most, when the client goes, or is cut off because it does not read.
  package func onClientDisconnect(_ callback: @escaping @Sendable (DisconnectReason) -> Void) { watch.observeDisconnect(callback) }
}

@available(*, unavailable)
extension StreamingResponse: Sendable {}
