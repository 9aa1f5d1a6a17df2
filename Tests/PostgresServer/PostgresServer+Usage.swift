package import Glibc

extension PostgresServer {
  /// Process id of the postmaster, the parent of all other processes of the server. Nil while the server is down.
  package var postmaster: pid_t? { process.postmaster }

  /// User and system time that all processes of the server have used since its start, in seconds. 0 while it is down.
  package var cpuSeconds: Double { process.cpuSeconds }
}
