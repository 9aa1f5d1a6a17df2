import Domain
import Glibc
import Messaging
import Synchronization

/// A tool's connection to ingest's admin socket. Any thread.
final class AdminConnection: Sendable {
  private let endpoint: Endpoint
  private let reactor: Reactor
  private let inbox: CommandQueue<AdminClient.Request>
  private let pending: Pending
  private let counter = Atomic<UInt64>(0)

  /// - Throws: `SettingError` where nobody listens, or it may not be opened; `LinkError`.
  init(_ endpoint: Endpoint) throws {
    try AdminConnection.probe(endpoint)
    let wake = WakeupEvent()
    let (inbox, pending) = (CommandQueue<AdminClient.Request>(wake), Pending())
    (self.endpoint, self.inbox, self.pending) = (endpoint, inbox, pending)
    (reactor, _) = try Reactor.start("admin", wake: wake) { context in
      let client = try AdminClient(context, connect: endpoint, inbox: inbox) { pending.complete($0, $1) }
      return (stations: [client], told: ())
    }
  }

  /// Ends its thread. Waits for it, half a second at most.
  func close() { reactor.stop() }

  /// Asks, and waits for the answer.
  ///
  /// - Throws: `AdminRefusal`, with what ingest says; `SettingError` where it says nothing in time.
  func send(_ request: AdminRequest) async throws -> AdminReply {
    let id = counter.add(1, ordering: .relaxed).newValue
    let clock = Task { [pending] in
      try await Task.sleep(for: ToolLimits.adminReplyTimeout)
      pending.complete(id, nil)
    }
    defer { clock.cancel() }
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        pending.add(id, continuation)
        inbox.enqueue((id, request))
        if Task.isCancelled { pending.complete(id, nil) }
      }
    } onCancel: {
      pending.complete(id, nil)
    }
    switch answer {
    case .refused(let refusal): throw refusal
    case let answer?: return answer
    case nil:
      let seconds = ToolLimits.adminReplyTimeout.components.seconds
      throw SettingError("Ingest does not answer at \(endpoint) within \(seconds) seconds.")
    }
  }

  /// A plain connection says at once what ZeroMQ would only wait for.
  private static func probe(_ endpoint: Endpoint) throws {
    guard endpoint.description.hasPrefix("ipc://") else { return }
    let path = String(endpoint.description.dropFirst(6))
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { Glibc.close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let failed = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) != 0
      }
    }
    guard failed else { return }
    switch errno {
    case EACCES, EPERM:
      throw SettingError("\(path) may be opened only by who runs ingest: become that user (sudo -u, for example).")
    default:
      throw SettingError(
        "No ingest listens at \(path): start it, or name the folder of its data with --data (ONTHEMAP_DATA).")
    }
  }
}

/// Questions without an answer.
private final class Pending: Sendable {
  private let continuations = Mutex<[UInt64: CheckedContinuation<AdminReply?, Never>]>([:])

  func add(_ id: UInt64, _ continuation: CheckedContinuation<AdminReply?, Never>) {
    continuations.withLock { $0[id] = continuation }
  }

  /// The second answer to a question is nobody's.
  func complete(_ id: UInt64, _ answer: AdminReply?) {
    continuations.withLock { $0.removeValue(forKey: id) }?.resume(returning: answer)
  }
}
