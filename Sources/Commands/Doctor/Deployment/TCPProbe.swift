import Foundation
import Glibc
import Messaging

/// Probes of TCP addresses. All of them block.
enum TCPProbe {
  /// The outcome of a bind.
  enum Binding: Sendable, Equatable {
    case free
    /// Another socket listens at the address.
    case inUse
    case unusable(String)
  }

  /// The outcome of a connection.
  enum Connection: Sendable, Equatable {
    case connected
    case failed(String)
  }

  /// Binds an address as an HTTP server does, and frees it again.
  static func bind(host: String, port: Int) -> Binding {
    guard let list = AddressList(host: host, port: port, isPassive: true) else { return .unusable("unknown host") }
    let descriptor = list.first { Glibc.socket($0.ai_family, $0.ai_socktype | O_CLOEXEC, $0.ai_protocol) }
    guard descriptor >= 0 else { return .unusable(reason) }
    defer { close(descriptor) }
    var one: CInt = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
    let isBound = list.first { Glibc.bind(descriptor, $0.ai_addr, $0.ai_addrlen) } == 0
    if isBound, listen(descriptor, 1) == 0 { return .free }
    return errno == EADDRINUSE ? .inUse : .unusable(reason)
  }

  /// Connects to the addresses of a host, one after the other, and disconnects.
  ///
  /// - Parameter use: Gets the descriptor of the first connection before the end of the connection.
  static func connect(
    host: String, port: Int, timeout: Duration, _ use: (CInt) -> Void = { _ in }
  ) -> Connection {
    guard let list = AddressList(host: host, port: port, isPassive: false) else { return .failed("unknown host") }
    var result = Connection.failed("unknown host")
    list.each { address in
      result = connect(address, timeout: timeout, use)
      return result == .connected
    }
    return result
  }

  private static func connect(_ address: addrinfo, timeout: Duration, _ use: (CInt) -> Void) -> Connection {
    let kind = address.ai_socktype | O_CLOEXEC | O_NONBLOCK
    let descriptor = Glibc.socket(address.ai_family, kind, address.ai_protocol)
    guard descriptor >= 0 else { return .failed(reason) }
    defer { close(descriptor) }
    if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
      guard errno == EINPROGRESS else { return .failed(reason) }
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&request, 1, CInt(timeout.components.seconds * 1_000)) > 0 else { return .failed("no reply") }
      var (error, size): (CInt, socklen_t) = (0, socklen_t(MemoryLayout<CInt>.size))
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
      guard error == 0 else { return .failed(String(cString: strerror(error))) }
    }
    use(descriptor)
    return .connected
  }

  /// Connects to a Unix socket, and disconnects.
  ///
  /// - Parameter use: Gets the descriptor of the connection before its end.
  static func connect(path: String, _ use: (CInt) -> Void = { _ in }) -> Connection {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    guard descriptor >= 0 else { return .failed(reason) }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isConnected else { return .failed(reason) }
    use(descriptor)
    return .connected
  }

  fileprivate static var reason: String { String(cString: strerror(errno)) }
}

/// The addresses of a host, by getaddrinfo(3).
final class AddressList {
  private let head: UnsafeMutablePointer<addrinfo>

  /// Resolves a host. Nil for an unknown host. Blocks on the name server.
  ///
  /// - Parameter isPassive: True for an address to bind.
  init?(host: String, port: Int, isPassive: Bool) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = (isPassive ? AI_PASSIVE : 0) | AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let found else { return nil }
    head = found
  }

  deinit { freeaddrinfo(head) }

  /// Returns the result of `body` for the first address.
  func first(_ body: (addrinfo) -> CInt) -> CInt { body(head.pointee) }

  /// Calls `body` with each address until it returns true.
  func each(_ body: (addrinfo) -> Bool) {
    var next: UnsafeMutablePointer<addrinfo>? = head
    while let address = next, !body(address.pointee) { next = address.pointee.ai_next }
  }
}

extension Endpoint {
  /// Host and port of a TCP address. Nil for a path, and for an address with any free port.
  var hostAndPort: (host: String, port: Int)? {
    guard description.hasPrefix("tcp://"), let colon = description.lastIndex(of: ":"),
      let port = Int(description[description.index(after: colon)...])
    else { return nil }
    let host = description[..<colon].dropFirst(6)
    return (host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")), port)
  }

  /// Path of a Unix socket. Nil for a TCP address.
  var path: String? { description.hasPrefix("ipc://") ? String(description.dropFirst(6)) : nil }
}
