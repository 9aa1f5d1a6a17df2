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
    func bound(_ kind: __socket_type) -> (descriptor: CInt, port: Int) {
      let descriptor = socket(AF_INET, CInt(kind.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = bind(descriptor, $0, size)
          _ = getsockname(descriptor, $0, &size)
        }
      }
      return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
    let (tcp, udp) = (bound(SOCK_STREAM), bound(SOCK_DGRAM))
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
