import Domain
import Glibc
import NIOCore
import Synchronization

/// Listening sockets that systemd holds while a service restarts, in the file descriptor store of its unit
/// (systemd.service(5), FileDescriptorStoreMax=). Clients that connect meanwhile wait instead of being refused.
///
/// A service that binds an address stores its socket with systemd. After a restart, systemd passes the socket in the
/// variables of sd_listen_fds(3). Without systemd, nothing is stored and nothing is passed.
package enum HeldSockets {
  /// First passed descriptor (SD_LISTEN_FDS_START).
  static let firstDescriptor: CInt = 3

  private struct State: Sendable {
    var isEnabled = false
    /// The passed sockets that no server has taken, by name.
    var passed: [String: CInt] = [:]
  }

  private static let state = Mutex(State())

  /// Enables the store, and takes over the passed descriptors, so that child processes do not inherit them. Variables
  /// for another process count as absent. Call this before the process opens descriptors or starts threads.
  package static func prepare() {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    let found = descriptors(
      processID: variable("LISTEN_PID"), count: variable("LISTEN_FDS"), names: variable("LISTEN_FDNAMES"))
    for descriptor in found.values { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    state.withLock { $0 = State(isEnabled: true, passed: found) }
  }

  /// Returns the passed descriptors by their names. Of several with the same name, the last one counts.
  static func descriptors(
    processID: String?, count: String?, names: String?, first: CInt = firstDescriptor
  ) -> [String: CInt] {
    guard processID.flatMap({ pid_t($0) }) == getpid(), let count = count.flatMap({ CInt($0) }), count > 0 else {
      return [:]
    }
    let names = (names ?? "").split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    var found: [String: CInt] = [:]
    for (offset, name) in names.prefix(Int(count)).enumerated() { found[name] = first + CInt(offset) }
    return found
  }

  /// Returns the held socket with a name, if it listens on the address. Port 0 stands for any port. A socket with
  /// another address is closed, and systemd forgets it: the setting has changed.
  static func take(_ name: String, on address: SocketAddress) -> CInt? {
    guard let descriptor = state.withLock({ $0.passed.removeValue(forKey: name) }) else { return nil }
    if listens(descriptor, on: address) { return descriptor }
    remove(descriptor, name)
    return nil
  }

  /// Closes the held socket with a name, so that clients are refused and use another instance. Call this in a process
  /// that will not serve for a while.
  package static func release(_ name: String) {
    if let descriptor = state.withLock({ $0.passed.removeValue(forKey: name) }) { remove(descriptor, name) }
  }

  private static func remove(_ descriptor: CInt, _ name: String) {
    // systemd closes its copy later. The socket must not listen until then: the new address may have the same port.
    shutdown(descriptor, CInt(SHUT_RDWR))
    close(descriptor)
    Systemd.notify("FDSTOREREMOVE=1\nFDNAME=\(name)")
  }

  /// Asks systemd to hold a socket. Does nothing without `prepare()`, or without systemd.
  static func store(_ descriptor: CInt, as name: String) {
    guard state.withLock({ $0.isEnabled }) else { return }
    // FDPOLL=0: systemd keeps the socket also after an error on it.
    Systemd.notify("FDSTORE=1\nFDPOLL=0\nFDNAME=\(name)", descriptor: descriptor)
  }

  /// Returns true if a descriptor is a TCP socket that listens on the address.
  static func listens(_ descriptor: CInt, on address: SocketAddress) -> Bool {
    var (isListening, size): (CInt, socklen_t) = (0, socklen_t(MemoryLayout<CInt>.size))
    guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0, isListening == 1,
      var own = SocketAddress(of: descriptor)
    else { return false }
    if address.port == 0 { own.port = 0 }
    return own == address
  }
}

extension SocketAddress {
  /// Returns the address of an IP socket. Nil for other descriptors.
  fileprivate init?(of descriptor: CInt) {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let family = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &size) == 0 ? CInt($0.pointee.sa_family) : AF_UNSPEC
      }
    }
    switch family {
    case AF_INET: self.init(withUnsafeBytes(of: storage) { $0.load(as: sockaddr_in.self) })
    case AF_INET6: self.init(withUnsafeBytes(of: storage) { $0.load(as: sockaddr_in6.self) })
    default: return nil
    }
  }
}
