package import NIOCore

/// A response that continues until the client or the server closes it. Writes never wait. Thread: the connection's
/// event loop.
package struct StreamingResponse {
  private let connectionGuard: HTTPConnectionGuard
  /// The connection's event loop.
  package let eventLoop: any EventLoop

  init(connectionGuard: HTTPConnectionGuard, eventLoop: any EventLoop) {
    self.connectionGuard = connectionGuard
    self.eventLoop = eventLoop
    connectionGuard.becomeStream()
  }

  /// True if the connection sends more data now. Otherwise NIO buffers written data in memory.
  package var isWritable: Bool { connectionGuard.isWritable }

  /// Writes and flushes buffers.
  package func write(_ buffers: [ByteBuffer]) { connectionGuard.push(buffers) }

  /// Closes the connection and drops unsent data.
  package func close() { connectionGuard.close() }

  /// Calls back, at most once, when the client disconnects or is disconnected because it does not read.
  package func onClientDisconnect(_ callback: @escaping @Sendable (DisconnectReason) -> Void) {
    connectionGuard.observeDisconnect(callback)
  }
}

@available(*, unavailable)
extension StreamingResponse: Sendable {}
