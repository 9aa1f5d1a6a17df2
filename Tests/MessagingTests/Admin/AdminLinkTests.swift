import CZeroMQ
import Foundation
import Glibc
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

/// Ingest's reactor with an admin server. `onRequest` returns the reply to each request, or nil for none.
private struct TestAdmin {
  let reactor: Reactor
  let endpoint: Endpoint
  let jobs: Endpoint
  let jobCommands: CommandQueue<JobServer.Command>
  let adminCommands: CommandQueue<AdminServer.Command>

  init(
    bind: Endpoint? = nil, ledger: Ledger = Ledger(),
    onRequest: @escaping @Sendable (AdminServer.Request) -> AdminReply?
  ) throws {
    let wake = WakeupEvent()
    let (jobCommands, changes) = (CommandQueue<JobServer.Command>(wake), CommandQueue<[FeedChange]>(wake))
    let adminCommands = CommandQueue<AdminServer.Command>(wake)
    let bind = try bind ?? .lastingPort()
    (reactor, (endpoint, jobs)) = try Reactor.start("ingest", wake: wake) { context in
      let jobServer = try JobServer(
        context, bind: .anyPort(), start: .sample(), commands: jobCommands, logger: quiet,
        perform: { ledger.perform($0, jobCommands) })
      let changeServer = try ChangeServer(
        context, bind: .anyPort(), state: .sample(1...1), generation: 1, committedChanges: changes, logger: quiet)
      let admin = try AdminServer(
        context, bind: bind, jobs: jobServer, changes: changeServer, commands: adminCommands, logger: quiet,
        onRequest: { request in
          if let reply = onRequest(request) { adminCommands.enqueue(.reply(request, reply)) }
        })
      return ([jobServer, changeServer, admin], (admin.endpoint ?? bind, jobServer.endpoint))
    }
    (self.jobCommands, self.adminCommands) = (jobCommands, adminCommands)
  }

  /// Returns a request's live state as a reply. Returns `.paused(nil)` for a request without live state.
  static func liveReply(to request: AdminServer.Request) -> AdminReply {
    var status = QueueStatus()
    switch request.liveState {
    case .status(let snapshot, let rates, let feeds):
      (status.queue, status.feeds, status.accepted) = (snapshot, feeds, rates.accepted)
      (status.completed, status.failed) = (rates.settled, rates.failed)
      return .status(status)
    case .placements(let placements):
      return .list(
        placements.map { QueueEntry.sample($0.id.rawValue, state: .ready).placed($0) }, next: placements.last?.id)
    case .nothing: return .paused(sinceMs: nil)
    }
  }
}

/// An admin client on its own reactor.
private final class TestTool: Sendable {
  let reactor: Reactor
  private let requests: CommandQueue<AdminClient.Request>
  private let replies = Shared<[UInt64: AdminReply]>([:])
  private let counter = Counter()

  init(_ endpoint: Endpoint) throws {
    let wake = WakeupEvent()
    let (requests, replies) = (CommandQueue<AdminClient.Request>(wake), replies)
    self.requests = requests
    (reactor, _) = try Reactor.start("tool", wake: wake) { context in
      let client = try AdminClient(context, connect: endpoint, requests: requests) { id, reply in
        replies.change { $0[id] = reply }
      }
      return ([client], ())
    }
  }

  func reply(to request: AdminRequest) async throws -> AdminReply {
    counter.add()
    let id = UInt64(counter.value)
    requests.enqueue((id, request))
    try await eventually("the client has a reply to \(request)") { replies.value[id] != nil }
    return try #require(replies.value[id])
  }
}

@Suite("Admin link", .serialized)
struct AdminLinkTests {
  @Test("An admin client sees the status, rates and listed posts of a paused and a resumed queue")
  func sees() async throws {
    let ledger = Ledger()
    let admin = try TestAdmin(ledger: ledger, onRequest: { TestAdmin.liveReply(to: $0) })
    defer { admin.reactor.stop() }
    let tool = try TestTool(admin.endpoint)
    defer { tool.reactor.stop() }
    #expect(try await tool.reply(to: .status) == .status(QueueStatus()))

    ledger.accept((1...5).map { .post($0) })
    admin.jobCommands.enqueue(.committed(.accepted((1...5).map { .post($0) })))
    admin.jobCommands.enqueue(.lookUp(.lookup))
    admin.jobCommands.enqueue(.committed(.paused(true)))
    let worker = try TestWorker(admin.jobs)
    defer { worker.reactor.stop() }
    var status = QueueStatus()
    let deadline = ContinuousClock.now + .seconds(120)
    while status.queue.workers.first?.credit ?? 0 == 0, ContinuousClock.now < deadline {
      if case .status(let new) = try await tool.reply(to: .status) { status = new }
    }
    #expect(status.queue.ready == 5 && status.queue.lookups == 1 && status.queue.leased == 0)
    #expect(status.accepted.total == 5 && status.completed.total == 0)
    guard
      case .list(let page, let next) = try await tool.reply(
        to: .list(state: .ready, reason: nil, after: .numbered(1), limit: 3))
    else { throw TimeoutError() }
    #expect(page.map(\.id.rawValue) == [2, 3, 4] && next == .numbered(4))
    #expect(worker.replies.value == 0)

    admin.jobCommands.enqueue(.committed(.paused(false)))
    try await eventually("all jobs are settled") { ledger.unsettled.isEmpty }
    guard case .status(let after) = try await tool.reply(to: .status) else { throw TimeoutError() }
    #expect(after.queue.depth == 0 && after.completed.total == 5)
    #expect(after.queue.workers.first?.results.total == 6 && after.queue.workers.first?.name == "w1")
  }

  @Test("Each kind of admin request gets its reply", arguments: AdminSamples.requests.indices)
  func everyKind(index: Int) async throws {
    let request = AdminSamples.requests[index]
    let admin = try TestAdmin(onRequest: { received in
      received.request == request ? AdminSamples.replies[index % AdminSamples.replies.count] : nil
    })
    defer { admin.reactor.stop() }
    let tool = try TestTool(admin.endpoint)
    defer { tool.reactor.stop() }
    #expect(try await tool.reply(to: request) == AdminSamples.replies[index % AdminSamples.replies.count])
  }

  @Test("An admin request carries the sender's user, group and process ids over IPC, and its address over TCP")
  func sender() async throws {
    let recorded = Shared<[String]>([])
    let path = try Endpoint("ipc://@onthemap-test-\(UInt64.random(in: 0...UInt64.max))")
    for bind in [path, try .anyPort()] {
      let admin = try TestAdmin(
        bind: bind,
        onRequest: { request in
          recorded.change { $0.append(request.sender) }
          return TestAdmin.liveReply(to: request)
        })
      defer { admin.reactor.stop() }
      let tool = try TestTool(admin.endpoint)
      defer { tool.reactor.stop() }
      _ = try await tool.reply(to: .status)
    }
    let senders = recorded.value
    #expect(senders.first?.hasSuffix(":\(geteuid()):\(getegid()):\(getpid())") == true, "\(senders)")
    #expect(senders.count == 2 && senders.last == "127.0.0.1", "\(senders)")
  }

  @Test("A malformed admin request gets an error reply, and the server continues")
  func malformed() async throws {
    let admin = try TestAdmin(onRequest: { TestAdmin.liveReply(to: $0) })
    defer { admin.reactor.stop() }
    let other = AdminRequestFrame.with { ($0.magic, $0.major, $0.requestID) = (Protocol.magic, 9, 7) }
    let empty = AdminRequestFrame.with { ($0.magic, $0.major, $0.requestID) = (Protocol.magic, 1, 8) }
    for (frames, code, id) in [
      ([[1, 2, 3]], Onthemap_Admin_V1_ErrorCode.malformed, UInt64(0)), ([[]], .malformed, 0),
      ([AdminRequestFrame.with { $0.requestID = 5 }.bytes], .malformed, 0),
      ([empty.bytes, empty.bytes], .malformed, 0), ([empty.bytes], .malformed, 8),
      ([other.bytes], .unsupportedVersion, 7),
    ] {
      let socket = RawSocket(ZMQ_DEALER, connect: admin.endpoint)
      socket.send(frames)
      var reply: AdminReplyFrame?
      try await eventually("the client has a reply") {
        reply = try socket.receive().map { try AdminReplyFrame(serializedBytes: $0[0]) }
        return reply != nil
      }
      #expect(reply?.error.code == code && reply?.requestID == id)
      #expect(reply?.error.detail.isEmpty == false)
    }
    let tool = try TestTool(admin.endpoint)
    defer { tool.reactor.stop() }
    #expect(try await tool.reply(to: .status) == .status(QueueStatus()))
  }

  @Test("A frame that is too long ends only its own connection")
  func oversize() async throws {
    let admin = try TestAdmin(onRequest: { TestAdmin.liveReply(to: $0) })
    defer { admin.reactor.stop() }
    let tool = try TestTool(admin.endpoint)
    defer { tool.reactor.stop() }
    let socket = RawSocket(ZMQ_DEALER, connect: admin.endpoint)
    socket.send([[UInt8](repeating: 8, count: Limits.adminRequestBytesMax + 1)])
    #expect(try await tool.reply(to: .status) == .status(QueueStatus()))
    #expect(socket.receive() == nil)
    let longest = RawSocket(ZMQ_DEALER, connect: admin.endpoint)
    longest.send([[UInt8](repeating: 8, count: Limits.adminRequestBytesMax)])
    try await eventually("a request of the longest length gets a reply") { longest.receive() != nil }
  }

  @Test("Admin requests above the limit are refused as busy until earlier ones have replies")
  func busy() async throws {
    let held = Shared<[AdminServer.Request]>([])
    let admin = try TestAdmin(onRequest: { request in
      held.change { $0.append(request) }
      return nil
    })
    defer { admin.reactor.stop() }
    let socket = RawSocket(ZMQ_DEALER, connect: admin.endpoint)
    for id in 1...UInt64(Limits.adminRequestsMax + 1) { socket.send([AdminRequestFrame(id: id, .status).bytes]) }
    var replies: [AdminReplyFrame] = []
    func receive(_ count: Int) async throws {
      try await eventually("the client has \(count) replies") {
        while let frames = socket.receive() { replies.append(try AdminReplyFrame(serializedBytes: frames[0])) }
        return replies.count >= count
      }
    }
    try await receive(1)
    #expect(replies.map(\.error.code) == [.busy] && replies.map(\.requestID) == [UInt64(Limits.adminRequestsMax + 1)])
    #expect(held.value.count == Limits.adminRequestsMax)
    for request in held.value { admin.adminCommands.enqueue(.reply(request, .paused(sinceMs: nil))) }
    try await receive(1 + Limits.adminRequestsMax)
    socket.send([AdminRequestFrame(id: 99, .status).bytes])
    try await eventually("the server accepts a further request") { held.value.count == Limits.adminRequestsMax + 1 }
  }

  @Test("Only the owner may open an ipc socket, and the socket replaces a leftover file")
  func permissions() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "otm-\(UUID().uuidString.prefix(8)).sock").path
    defer { unlink(path) }
    try Data().write(to: URL(fileURLWithPath: path))
    let before = umask(0o022)
    umask(before)
    let admin = try TestAdmin(bind: Endpoint("ipc://\(path)"), onRequest: { TestAdmin.liveReply(to: $0) })
    var fileStatus = stat()
    #expect(stat(path, &fileStatus) == 0 && fileStatus.st_mode & 0o777 == 0o600)
    #expect(fileStatus.st_mode & S_IFMT == S_IFSOCK)
    let after = umask(before)
    #expect(after == before, "The process's umask is unchanged.")
    let tool = try TestTool(Endpoint("ipc://\(path)"))
    #expect(try await tool.reply(to: .status) == .status(QueueStatus()))
    tool.reactor.stop()
    admin.reactor.stop()
  }
}
