package import Domain
import Glibc
package import Logging
import SwiftProtobuf

/// Ingest's end of the admin socket: a ROUTER that receives an operator's requests.
///
/// The server adds the state of the reactor's sockets to each request, on the reactor's thread. The handler adds the
/// part that is on disk. `Command.inspect` returns the same state for requests that arrive over HTTP.
///
/// The server creates an ipc socket for its owner only (0600), because every process that reaches it may control the
/// queue.
package final class AdminServer: ReactorSocket {
  /// State of the reactor's sockets that a request needs.
  package enum LiveState: Sendable {
    case nothing
    case status(QueueSnapshot, QueueRates.Readings, [QueueStatus.Feed])
    /// The requested posts that are in the queue.
    case placements([QueuePlacement])
  }

  /// A request and the sender of the request.
  package struct Request: Sendable {
    package let request: AdminRequest
    package let liveState: LiveState
    /// The sender, as in `Socket.sender`.
    package let sender: String
    fileprivate let peer: [UInt8]
    fileprivate let id: UInt64
  }

  /// A command from ingest. Any thread may enqueue it.
  package enum Command: Sendable {
    /// A reply for the sender. Each request on the socket gets one reply.
    case reply(Request, AdminReply)
    /// Calls back on the reactor's thread with the state that a request needs. The callback must not block.
    case inspect(AdminRequest, @Sendable (LiveState) -> Void)
  }

  package let socket: Socket
  /// Address with the actual port. Nil if the server is not bound.
  package let endpoint: Endpoint?
  private let jobs: JobServer
  private let changes: ChangeServer
  private let commands: CommandQueue<Command>
  private let logger: Logger
  private let onRequest: @Sendable (Request) -> Void
  private var unansweredRequests = 0
  private var malformed = MalformedFrames("admin")

  /// Creates the server, and binds its socket if an address is given.
  ///
  /// - Parameters:
  ///   - bind: Address of the socket. Nil leaves the socket unbound, so that no peer reaches it.
  ///   - jobs, changes: Sockets of the same reactor, for their state.
  ///   - onRequest: Handler of each request. At most `Limits.adminRequestsMax` requests wait for a reply. The handler
  ///     runs on the reactor's thread and must not block.
  package init(
    _ context: Reactor.Context, bind: Endpoint?, jobs: JobServer, changes: ChangeServer,
    commands: CommandQueue<Command>, logger: Logger, onRequest: @escaping @Sendable (Request) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.router, frameBytesMax: Limits.adminRequestBytesMax)
    try socket.set(ZMQOption.routerMandatory, 1)
    socket.keepsSender = true
    // Set the umask before the bind, because a peer could open the socket before a later chmod.
    let mask = umask(0o177)
    defer { umask(mask) }
    endpoint = if let bind { try socket.bind(bind) } else { nil }
    self.jobs = jobs
    self.changes = changes
    self.commands = commands
    self.logger = logger
    self.onRequest = onRequest
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    let peer = frames.first ?? []
    guard frames.count == 2, let frame = try? AdminRequestFrame(serializedBytes: frames[1]),
      frame.magic == Protocol.magic
    else {
      return refuse(peer, id: 0, AdminRefusal(.malformed, "not an AdminRequest of this protocol"), nowMs: nowMs)
    }
    // Check the version before the body: another major version may have bodies that are unknown here.
    guard frame.major == Protocol.major else {
      let refusal = AdminRefusal(.unsupportedVersion, "this ingest supports version \(Protocol.major) only")
      return refuse(peer, id: frame.requestID, refusal, nowMs: nowMs)
    }
    do throws(AdminRefusal) {
      let request = try frame.request()
      guard unansweredRequests < Limits.adminRequestsMax else {
        throw AdminRefusal(.busy, "too many requests at the same time; try again later")
      }
      unansweredRequests += 1
      onRequest(
        Request(
          request: request, liveState: liveState(about: request, nowMs: nowMs), sender: socket.sender, peer: peer,
          id: frame.requestID))
    } catch {
      guard error.code == .malformed else { return send(.refused(error), to: peer, id: frame.requestID) }
      refuse(peer, id: frame.requestID, error, nowMs: nowMs)
    }
  }

  package func tick(nowMs: Int64) -> Int64 {
    for command in commands.drain() {
      switch command {
      case .reply(let request, let reply):
        unansweredRequests -= 1
        send(reply, to: request.peer, id: request.id)
      case .inspect(let request, let callback): callback(liveState(about: request, nowMs: nowMs))
      }
    }
    return .max
  }

  package func shutDown() {}

  private func liveState(about request: AdminRequest, nowMs: Int64) -> LiveState {
    switch request {
    case .status: .status(jobs.snapshot(nowMs: nowMs), jobs.rates(nowMs: nowMs), changes.feeds(nowMs: nowMs))
    case .list(.dead, _, _, _): .nothing
    case .list(let state, _, let after, let limit):
      .placements(jobs.placements(in: state, after: after, limit: limit, nowMs: nowMs))
    case .show(let id): .placements(jobs.placement(of: id, nowMs: nowMs).map { [$0] } ?? [])
    case .retry, .discard, .pause, .resume, .users, .addUser, .setUser, .backUp, .backupState: .nothing
    }
  }

  /// Counts a malformed request, and logs at most one a second. Each malformed request gets a reply, because only the
  /// operator's own tools reach this socket.
  private func refuse(_ peer: [UInt8], id: UInt64, _ refusal: AdminRefusal, nowMs: Int64) {
    if malformed.add(nowMs: nowMs) { malformed.log(refusal.detail, to: logger) }
    send(.refused(refusal), to: peer, id: id)
  }

  private func send(_ reply: AdminReply, to peer: [UInt8], id: UInt64) {
    socket.send(peer, AdminReplyFrame(id: id, reply).bytes)
  }
}
