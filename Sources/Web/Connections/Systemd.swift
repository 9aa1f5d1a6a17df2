import Glibc

/// Notifications to systemd, by the protocol of sd_notify(3).
enum Systemd {
  /// Sends a message, with a descriptor if there is one. Does nothing without NOTIFY_SOCKET. A message that cannot be
  /// sent is dropped.
  static func notify(_ message: String, descriptor: CInt? = nil) {
    guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), var address = sockaddr_un(path) else {
      return
    }
    let sender = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard sender >= 0 else { return }
    defer { close(sender) }
    var text = Array(message.utf8)
    // A cmsghdr and one descriptor. The layout is that of CMSG_LEN and CMSG_SPACE (cmsg(3)) on 64-bit Linux.
    let headerBytes = MemoryLayout<cmsghdr>.size
    var control = [UInt8](repeating: 0, count: headerBytes + MemoryLayout<Int>.size)
    if let descriptor {
      var header = cmsghdr()
      header.cmsg_len = headerBytes + MemoryLayout<CInt>.size
      (header.cmsg_level, header.cmsg_type) = (SOL_SOCKET, CInt(SCM_RIGHTS))
      control.withUnsafeMutableBytes { bytes in
        bytes.storeBytes(of: header, as: cmsghdr.self)
        bytes.storeBytes(of: descriptor, toByteOffset: headerBytes, as: CInt.self)
      }
    }
    let controlBytes = descriptor == nil ? 0 : control.count
    text.withUnsafeMutableBytes { text in
      control.withUnsafeMutableBytes { control in
        withUnsafeMutablePointer(to: &address) { address in
          var part = iovec(iov_base: text.baseAddress, iov_len: text.count)
          withUnsafeMutablePointer(to: &part) { part in
            var message = msghdr(
              msg_name: address, msg_namelen: address.pointee.length, msg_iov: part, msg_iovlen: 1,
              msg_control: controlBytes == 0 ? nil : control.baseAddress, msg_controllen: controlBytes, msg_flags: 0)
            _ = sendmsg(sender, &message, CInt(MSG_NOSIGNAL))
          }
        }
      }
    }
  }
}

extension sockaddr_un {
  /// Creates the address of a path, or of a name in the abstract namespace, which begins with @. Nil if it is too long.
  fileprivate init?(_ path: String) {
    self.init()
    sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: sun_path) else { return nil }
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &sun_path) { $0.copyBytes(from: bytes) }
  }

  /// The size of the address in bytes. An abstract name ends with its last byte.
  fileprivate var length: socklen_t {
    let (start, path) = (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2, sun_path)
    let end = withUnsafeBytes(of: path) { bytes in bytes.dropFirst().firstIndex(of: 0) ?? bytes.count }
    return socklen_t(start + end)
  }
}
