import Domain
import Glibc
import Messaging
import Synchronization

/// A tool's connection to ingest's admin socket. Any thread.
final class AdminConnection: Sendable {
  private let endpoint: Endpoint
  private let reactor: Reactor
  private let requests: CommandQueue<AdminClient.Request>
  private let pending: Pending
  private let counter = Atomic<UInt64>(0)

  /// Connects to ingest.
  ///
  /// - Throws: `SettingError` if no ingest listens, or if this user may not open the socket. `LinkError` for other
  ///   failures.
  init(_ endpoint: Endpoint) throws {
    try AdminConnection.probe(endpoint)
    let wake = WakeupEvent()
    let (requests, pending) = (CommandQueue<AdminClient.Request>(wake), Pending())
    (self.endpoint, self.requests, self.pending) = (endpoint, requests, pending)
    (reactor, _) = try Reactor.start("admin", wake: wake) { context in
      let client = try AdminClient(context, connect: endpoint, requests: requests) { pending.complete($0, $1) }
      return (sockets: [client], value: ())
    }
  }

  /// Ends the connection's thread. Blocks until the thread has ended, for at most half a second.
  func close() { reactor.stop() }

  /// Sends a request, and waits for its reply.
  ///
  /// - Throws: `AdminRefusal` with ingest's refusal, or `SettingError` if no reply arrives in time.
  func send(_ request: AdminRequest) async throws -> AdminReply {
    let id = counter.add(1, ordering: .relaxed).newValue
    let timeout = Task { [pending] in
      try await Task.sleep(for: ToolLimits.adminReplyTimeout)
      pending.complete(id, nil)
    }
    defer { timeout.cancel() }
    let reply = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        pending.add(id, continuation)
        requests.enqueue((id, request))
        if Task.isCancelled { pending.complete(id, nil) }
      }
    } onCancel: {
      pending.complete(id, nil)
    }
    switch reply {
    case .refused(let refusal): throw refusal
    case let reply?: return reply
    case nil:
      let seconds = ToolLimits.adminReplyTimeout.components.seconds
      throw SettingError("no reply from ingest at \(endpoint) within \(seconds) seconds.")
    }
  }

  /// Returns false if no ingest listens at an address. True for an address that is no file, where only a request shows
  /// it.
  static func isListening(_ endpoint: Endpoint) -> Bool {
    guard let failure = connectFailure(endpoint) else { return true }
    return failure == EACCES || failure == EPERM
  }

  /// Returns true as soon as ingest listens at an address, and false if it does not do so in time.
  static func isListening(_ endpoint: Endpoint, withinMs limitMs: Int64) async -> Bool {
    let deadline = ContinuousClock.now + .milliseconds(limitMs)
    while !isListening(endpoint) {
      guard ContinuousClock.now < deadline else { return false }
      try? await Task.sleep(for: .milliseconds(Limits.backupPollMs))
    }
    return true
  }

  /// Checks with a plain connection that ingest listens. ZeroMQ itself would only wait.
  private static func probe(_ endpoint: Endpoint) throws {
    let path = endpoint.description.dropFirst(6)
    switch connectFailure(endpoint) {
    case nil: return
    case EACCES, EPERM:
      throw SettingError("cannot open \(path): permission denied. Run as the user that runs ingest (sudo -u USER).")
    default:
      throw SettingError(
        "no ingest is listening at \(path). Start it, or set its data folder with --data (ONTHEMAP_DATA). "
          + "If this host's ingest is a standby, run the command on the leader's host.")
    }
  }

  /// Connects to a socket's file, and disconnects. Returns the error's code, or nil for a success and other addresses.
  private static func connectFailure(_ endpoint: Endpoint) -> Int32? {
    guard endpoint.description.hasPrefix("ipc://") else { return nil }
    let path = String(endpoint.description.dropFirst(6))
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let failed = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) != 0
      }
    }
    return failed ? errno : nil
  }
}

/// The requests that wait for a reply.
private final class Pending: Sendable {
  private let continuations = Mutex<[UInt64: CheckedContinuation<AdminReply?, Never>]>([:])

  func add(_ id: UInt64, _ continuation: CheckedContinuation<AdminReply?, Never>) {
    continuations.withLock { $0[id] = continuation }
  }

  /// Passes the reply to the waiting request. Nil stands for no reply. Ignores a second reply to a request.
  func complete(_ id: UInt64, _ reply: AdminReply?) {
    continuations.withLock { $0.removeValue(forKey: id) }?.resume(returning: reply)
  }
}
