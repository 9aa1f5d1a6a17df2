package import NIOCore

/// A response that continues until the client or the server closes it. Writes never wait. Thread: the connection's
/// event loop.
package struct StreamingResponse {
  private let watch: HTTPConnectionGuard
  /// The connection's event loop.
  package let eventLoop: any EventLoop

  init(watch: HTTPConnectionGuard, eventLoop: any EventLoop) {
    self.watch = watch
    self.eventLoop = eventLoop
  }

  /// True if the connection takes more data now. Data written otherwise is buffered in memory.
  package var isWritable: Bool { watch.isWritable }

  /// Writes and flushes buffers.
  package func write(_ buffers: [ByteBuffer]) { watch.push(buffers) }

  /// Closes the connection and drops unsent data.
  package func close() { watch.close() }

  /// Calls back, at most once, when the client disconnects or is disconnected because it does not read.
  package func onClientDisconnect(_ callback: @escaping @Sendable (DisconnectReason) -> Void) {
    watch.observeDisconnect(callback)
  }
}

@available(*, unavailable)
extension StreamingResponse: Sendable {}
