import Domain
import Foundation
import Glibc

/// A listener at the address of a service that does not run. It answers every request with 503, and examines the one
/// with a number that only `doctor` knows.
final class ArrivalListener: Sendable {
  /// A request as it arrived.
  struct Arrival: Sendable, Equatable {
    /// Address of the connection's other end.
    let peer: IPAddress
    /// Values of X-Forwarded-For, in their order.
    let forwardedFor: [String]
  }

  private let descriptor: Int32

  /// Binds the address. Nil if another socket has it, or the host is unknown. Blocks on the name server.
  init?(host: String, port: Int) {
    guard let list = AddressList(host: host, port: port, isPassive: true) else { return nil }
    let socket = list.first { Glibc.socket($0.ai_family, $0.ai_socktype | O_CLOEXEC, $0.ai_protocol) }
    guard socket >= 0 else { return nil }
    var one: CInt = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
    guard list.first({ Glibc.bind(socket, $0.ai_addr, $0.ai_addrlen) }) == 0, listen(socket, 16) == 0 else {
      close(socket)
      return nil
    }
    descriptor = socket
  }

  deinit { close(descriptor) }

  /// Waits for the request whose line contains a text. Nil if none arrives in time. Blocks.
  func wait(for text: String, within limit: Duration = DoctorLimits.forwardedTimeout) -> Arrival? {
    let end = ContinuousClock.now + limit
    while true {
      let remaining = (end - ContinuousClock.now).components
      let ms = remaining.seconds * 1_000 + remaining.attoseconds / 1_000_000_000_000_000
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard ms > 0, poll(&request, 1, CInt(ms)) > 0 else { return nil }
      if let arrival = accept(text) { return arrival }
    }
  }

  private func accept(_ text: String) -> Arrival? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var connection: Int32 = -1
    withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connection = Glibc.accept(descriptor, $0, &size)
        if connection >= 0 { getnameinfo($0, size, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) }
      }
    }
    guard connection >= 0 else { return nil }
    defer { close(connection) }
    let head = ArrivalListener.head(of: connection)
    writeAll(
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: \(Limits.retrySoonSeconds)\r\nContent-Length: 0\r\n"
        + "Connection: close\r\n\r\n", on: connection)
    let address = String(decoding: name.prefix { $0 != 0 && $0 != 37 }.map(UInt8.init), as: UTF8.self)
    guard let peer = IPAddress(address) else { return nil }
    return ArrivalListener.arrival(head, from: peer, with: text)
  }

  /// Reads the head of a request, or the part that arrives within a second, up to the maximum size.
  static func head(of connection: Int32) -> String {
    var limit = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var (bytes, chunk): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4_096))
    while bytes.count < DoctorLimits.forwardedHeadBytesMax {
      let count = read(connection, &chunk, min(chunk.count, DoctorLimits.forwardedHeadBytesMax - bytes.count))
      guard count > 0 else { break }
      bytes += chunk[..<count]
      if String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the arrival of a request. Nil for a head without the text in its first line.
  static func arrival(_ head: String, from peer: IPAddress, with text: String) -> Arrival? {
    let lines = head.components(separatedBy: "\r\n")
    guard let first = lines.first, first.contains(text) else { return nil }
    let name = "x-forwarded-for:"
    let values = lines.dropFirst().prefix { !$0.isEmpty }.filter { $0.lowercased().hasPrefix(name) }
    return Arrival(
      peer: peer, forwardedFor: values.map { $0.dropFirst(name.count).trimmingCharacters(in: .whitespaces) })
  }
}
