/// Admission of gateways' requests at one run of ingest, with limits for the open requests of all gateways together.
///
/// A request is executed only on the connection that it names. A gateway therefore knows which of its requests this run
/// may have executed (`HeldRequests`).
package struct GatewayAdmission: Sendable {
  /// A request: the routing id of its connection, and the gateway's own number.
  package struct Ticket: Sendable, Hashable {
    /// Routing id of the connection.
    package let peer: [UInt8]
    /// The gateway's number for the request.
    package let request: UInt64

    package init(peer: [UInt8], request: UInt64) {
      self.peer = peer
      self.request = request
    }
  }

  /// Decision about a request.
  package enum Decision: Sendable, Equatable {
    /// The request is open until `end`.
    case admit
    /// The request is not executed. The gateway sends it again.
    case refuse(HeldRequests.Refusal)
    /// A request with this number is open already: the gateway is defective.
    case open
  }

  /// Number of this run of ingest.
  package let generation: UInt32
  /// True after `shutDown`: no further request is admitted.
  package private(set) var isShuttingDown = false
  /// Sizes of the bodies of the open requests, in bytes. -1 for a frame with posts.
  private var open: [Ticket: Int] = [:]
  private var openBytes = 0
  private var postFrames = 0

  package init(generation: UInt32) { self.generation = generation }

  /// True if no request is open.
  package var isIdle: Bool { open.isEmpty }

  /// Returns the name of a peer's connection for its Welcome. Nil during the shutdown, so that gateways wait for the
  /// next run.
  package func connection(of peer: [UInt8]) -> HeldRequests.Connection? {
    isShuttingDown ? nil : name(of: peer)
  }

  /// Decides whether to execute a request. Frames with posts have their own limit, so that requests that wait cannot
  /// block them.
  ///
  /// - Parameters:
  ///   - connection: The connection that the request names.
  ///   - bytes: Size of the request's body, in bytes. Nil for a frame with posts.
  package mutating func begin(_ ticket: Ticket, on connection: [UInt8], bytes: Int?) -> Decision {
    guard connection == name(of: ticket.peer) else { return .refuse(.staleConnection) }
    guard !isShuttingDown else { return .refuse(.shutdown) }
    guard open[ticket] == nil else { return .open }
    let hasSlot =
      if let bytes {
        open.count - postFrames < Limits.gatewayRequestsMax && openBytes + bytes <= Limits.gatewayBytesMax
      } else { postFrames < Limits.gatewayPostFramesTotalMax }
    guard hasSlot else { return .refuse(.busy) }
    open[ticket] = bytes ?? -1
    openBytes += bytes ?? 0
    postFrames += bytes == nil ? 1 : 0
    return .admit
  }

  /// Returns true if a connection has this name.
  package func isName(_ connection: [UInt8], of peer: [UInt8]) -> Bool { connection == name(of: peer) }

  /// Returns true if a request is open.
  package func isOpen(_ ticket: Ticket) -> Bool { open[ticket] != nil }

  /// Ends a request, because it has its reply. Returns false if it was not open.
  package mutating func end(_ ticket: Ticket) -> Bool {
    guard let bytes = open.removeValue(forKey: ticket) else { return false }
    if bytes < 0 { postFrames -= 1 } else { openBytes -= bytes }
    return true
  }

  /// Admits no further request.
  package mutating func shutDown() { isShuttingDown = true }

  /// Another run gives the same routing id, and the same run never gives it twice.
  private func name(of peer: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: generation.littleEndian) { Array($0) } + peer
  }
}
