import Foundation
import Glibc
import Synchronization
import Testing

@Suite("HTTP sockets that systemd holds during a restart", .fixture)
struct HeldSocketTests {
  /// The numbers of the posts that clients send until the end.
  private final class Traffic: Sendable {
    private let state = Mutex((count: 0, isOver: false))

    var count: Int { state.withLock { $0.count } }

    /// Returns the number of the next post. Nil after the end.
    func next() -> Int? {
      state.withLock { state in
        guard !state.isOver else { return nil }
        state.count += 1
        return state.count
      }
    }

    func end() { state.withLock { $0.isOver = true } }
  }

  /// Creates ingest, which notifies the service receiver.
  private func ingest(_ receiver: NotificationReceiver, http: String) throws -> Program {
    let fixture = SystemFixture.current
    return try fixture.program(
      [
        "ingest", "--data", fixture.path("data"), "--http", http, "--jobs", "tcp://127.0.0.1:*", "--changes",
        "tcp://127.0.0.1:*", "--submit", "tcp://127.0.0.1:*", "--operations", "none",
      ], environment: ["NOTIFY_SOCKET": receiver.path])
  }

  /// Posts on a connection. Returns the response's status line.
  ///
  /// - Parameter isLast: True if the connection ends after the response.
  private func post(_ number: Int, on connection: Connection, token: String, isLast: Bool) async throws -> String {
    let body = "{\"place\":\"Oslo\",\"link\":\"https://example.org/\(number)\"}"
    let head = """
      POST /v2/posts HTTP/1.1\r\nHost: map.example\r\nAuthorization: Bearer \(token)\r\n\
      Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\
      \(isLast ? "Connection: close\r\n" : "")\r\n
      """
    try await connection.send(Array((head + body).utf8))
    return try await connection.response()
  }

  @Test("Graceful restarts under load refuse no request on a new or on an open connection, and count each post once")
  func restarts() async throws {
    let receiver = try NotificationReceiver(SystemFixture.current.path("notify"))
    let port = try Port.free()
    let ingest = try ingest(receiver, http: "127.0.0.1:\(port)")
    try await ingest.startAndWait()
    let (message, descriptor) = try await receiver.receive()
    #expect(message == "FDSTORE=1\nFDPOLL=0\nFDNAME=http")
    ingest.pass(try #require(descriptor), name: "http")
    let client = try await Client("http://127.0.0.1:\(port)").signedUp()
    let token = try #require(client.token)
    let traffic = Traffic()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<6 {
        group.addTask {
          var open: Connection?
          while let number = traffic.next() {
            let connection = try open ?? Connection(port: port)
            let response = try await post(number, on: connection, token: token, isLast: worker.isMultiple(of: 2))
            try #require(response.hasPrefix("HTTP/1.1 202 Accepted"), "post \(number) got: \(response)")
            let isLast = worker.isMultiple(of: 2) || response.lowercased().contains("connection: close")
            open = isLast ? nil : connection
          }
        }
      }
      for restart in 1...3 {
        let before = traffic.count
        try await eventually("more posts arrive before restart \(restart)") { traffic.count > before + 30 }
        ingest.signal(SIGTERM)
        #expect(try await ingest.exit() == 0)
        try await ingest.startAndWait()
      }
      traffic.end()
      try await group.waitForAll()
    }
    #expect(try await client.posts().count == traffic.count)
  }

  @Test("The backlog of a held socket is that of a new one")
  func backlog() async throws {
    let receiver = try NotificationReceiver(SystemFixture.current.path("notify"))
    let ingest = try ingest(receiver, http: "127.0.0.1:\(try Port.free())")
    for _ in 0..<2 {
      try await ingest.startAndWait()
      let descriptor = try #require(try await receiver.receive().descriptor)
      #expect(backlog(of: descriptor) == 4_096)
      ingest.pass(descriptor, name: "http")
      ingest.signal(SIGTERM)
      #expect(try await ingest.exit() == 0)
    }
  }

  /// The backlog of a listening socket, which the kernel reports as `tcpi_sacked`.
  private func backlog(of descriptor: Int32) -> UInt32 {
    var info = tcp_info()
    var size = socklen_t(MemoryLayout<tcp_info>.size)
    return getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 ? info.tcpi_sacked : 0
  }

  @Test("After a change of the host, ingest binds the new address, and systemd forgets the old socket")
  func otherAddress() async throws {
    let receiver = try NotificationReceiver(SystemFixture.current.path("notify"))
    let port = try Port.free()
    let before = try ingest(receiver, http: "127.0.0.1:\(port)")
    try await before.startAndWait()
    let descriptor = try #require(try await receiver.receive().descriptor)
    before.signal(SIGTERM)
    #expect(try await before.exit() == 0)
    let after = try ingest(receiver, http: "0.0.0.0:\(port)")
    after.pass(descriptor, name: "http")
    try await after.startAndWait()
    #expect(after.ready["http"] == "http://0.0.0.0:\(port)")
    #expect(try await receiver.receive().message == "FDSTOREREMOVE=1\nFDNAME=http")
    #expect(try await receiver.receive().message.hasPrefix("FDSTORE=1"))
  }

  @Test("After kill -9, a request that was sent before the next start gets its response")
  func killed() async throws {
    let receiver = try NotificationReceiver(SystemFixture.current.path("notify"))
    let port = try Port.free()
    let ingest = try ingest(receiver, http: "127.0.0.1:\(port)")
    try await ingest.startAndWait()
    ingest.pass(try #require(try await receiver.receive().descriptor), name: "http")
    try await ingest.kill()
    let connection = try Connection(port: port)
    try await connection.send(Array("GET /v2/feed HTTP/1.1\r\nHost: map.example\r\n\r\n".utf8))
    try await ingest.startAndWait()
    #expect(try await connection.response().hasPrefix("HTTP/1.1 200"))
  }

  @Test("The feed stores its socket as feed-http, and `up` stores none")
  func roles() async throws {
    let receiver = try NotificationReceiver(SystemFixture.current.path("notify"))
    let environment = ["NOTIFY_SOCKET": receiver.path]
    let up = try await SystemFixture.current.up(environment: environment)
    let feed = try SystemFixture.current.program(
      [
        "feed", "--ingest", try up.changes, "--publish", "tcp://127.0.0.1:\(try Port.free())", "--query",
        "tcp://127.0.0.1:\(try Port.free())", "--http", "127.0.0.1:0", "--operations", "none", "--data", "none",
      ], environment: environment)
    try await feed.startAndWait()
    #expect(try await receiver.receive().message == "FDSTORE=1\nFDPOLL=0\nFDNAME=feed-http")
  }
}

/// The receiver of notifications, as systemd (sd_notify(3)).
private final class NotificationReceiver: Sendable {
  let path: String
  private let descriptor: Int32

  init(_ path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE) }
  }

  deinit { close(descriptor) }

  /// Waits for the next message, and the descriptor that comes with it.
  func receive() async throws -> (message: String, descriptor: Int32?) {
    try await eventually("a notification arrives") { receiveNow() }
  }

  private func receiveNow() -> (message: String, descriptor: Int32?)? {
    var (text, control) = ([UInt8](repeating: 0, count: 1_024), [UInt8](repeating: 0, count: 64))
    return text.withUnsafeMutableBytes { text in
      control.withUnsafeMutableBytes { control in
        var part = iovec(iov_base: text.baseAddress, iov_len: text.count)
        return withUnsafeMutablePointer(to: &part) { part in
          var message = msghdr()
          (message.msg_iov, message.msg_iovlen) = (part, 1)
          (message.msg_control, message.msg_controllen) = (control.baseAddress, control.count)
          let count = recvmsg(descriptor, &message, Int32(MSG_DONTWAIT) | Int32(MSG_CMSG_CLOEXEC))
          guard count > 0 else { return nil }
          let hasDescriptor = message.msg_controllen >= MemoryLayout<cmsghdr>.size + MemoryLayout<Int32>.size
          return (
            String(decoding: text.prefix(count), as: UTF8.self),
            hasDescriptor ? control.load(fromByteOffset: MemoryLayout<cmsghdr>.size, as: Int32.self) : nil
          )
        }
      }
    }
  }
}
