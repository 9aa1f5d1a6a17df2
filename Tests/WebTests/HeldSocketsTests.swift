import Glibc
import NIOCore
import Testing

@testable import Web

@Suite("Held sockets")
struct HeldSocketsTests {
  @Test("Passed descriptors have their names, in order")
  func names() {
    let found = HeldSockets.descriptors(processID: "\(getpid())", count: "3", names: "http:x:feed-http")
    #expect(found == ["http": 3, "x": 4, "feed-http": 5])
    #expect(HeldSockets.descriptors(processID: "\(getpid())", count: "1", names: "a:b") == ["a": 3])
  }

  @Test(
    "Variables for another process, and variables without a number, pass no socket",
    arguments: [("1", "1"), ("", "1"), ("x", "1"), ("\(getpid())", ""), ("\(getpid())", "x"), ("\(getpid())", "-1")])
  func absent(processID: String, count: String) {
    #expect(HeldSockets.descriptors(processID: processID, count: count, names: "http").isEmpty)
  }

  @Test("Only a TCP socket that listens on the address is taken over")
  func address() throws {
    func bound(_ kind: __socket_type) throws -> (descriptor: CInt, port: Int) {
      let descriptor = socket(AF_INET, CInt(kind.rawValue), 0)
      let any = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
      any.withSockAddr { _ = bind(descriptor, $0, socklen_t($1)) }
      var size = socklen_t(16)
      let address = [UInt8](unsafeUninitializedCapacity: Int(size)) { bytes, count in
        let start = UnsafeMutableRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: sockaddr.self)
        count = getsockname(descriptor, start, &size) == 0 ? Int(size) : 0
      }
      // The port follows the family, which has two bytes, in network byte order.
      return (descriptor, Int(try #require(address.dropFirst(2).first)) << 8 | Int(address[3]))
    }
    let (tcp, udp) = (try bound(SOCK_STREAM), try bound(SOCK_DGRAM))
    defer { for descriptor in [tcp.descriptor, udp.descriptor] { close(descriptor) } }
    func listens(_ socket: (descriptor: CInt, port: Int), _ host: String = "127.0.0.1", _ port: Int? = nil) throws
      -> Bool
    {
      HeldSockets.listens(socket.descriptor, on: try SocketAddress(ipAddress: host, port: port ?? socket.port))
    }
    #expect(try !listens(tcp), "The socket does not listen yet.")
    #expect(listen(tcp.descriptor, 1) == 0)
    #expect(try listens(tcp) && listens(tcp, "127.0.0.1", 0))
    #expect(try !listens(tcp, "127.0.0.1", tcp.port ^ 1) && !listens(tcp, "127.0.0.2") && !listens(tcp, "::1"))
    #expect(try !listens(udp) && !listens((-1, tcp.port)))
  }
}
