/// Limits of the address of a PostgreSQL database, and of connections to it.
extension Limits {
  /// Default port of a PostgreSQL server.
  package static let postgresPort = 5_432
  /// Maximum number of hosts in an address. Each unreachable host delays a new connection for its timeout.
  package static let postgresHostsMax = 8
  /// Maximum size of an address as a URL, in bytes. Eight long host names and three paths fit.
  package static let postgresURLBytesMax = 4_096
  /// Maximum size of the name of a role, a database or an application, in bytes. PostgreSQL cuts longer names.
  package static let postgresNameBytesMax = 63
  /// Maximum size of a host name, in bytes. RFC 1035 allows 255 bytes on the wire, which are 253 as text.
  package static let postgresHostNameBytesMax = 253
  /// Maximum size of the path of a server's Unix socket, in bytes. Linux has 108 bytes, with a zero byte at the end.
  package static let postgresSocketPathBytesMax = 107
  /// Maximum size of a password file, in bytes. The access tokens of cloud providers have a few thousand.
  package static let postgresPasswordFileBytesMax = 16_384
  /// Default timeout of a connection attempt to one host, in milliseconds. On one continent, an attempt takes below 200
  /// ms.
  package static let postgresConnectMs: Int64 = 2_000
  /// Permitted timeouts of a connection attempt to one host, in seconds.
  package static let postgresConnectSecondsRange = 1...60
  /// Default time for which sent data may stay unacknowledged before the kernel closes the connection, in milliseconds.
  /// A server that has lost its power is detected within this time.
  package static let postgresUserTimeoutMs = 6_000
  /// Permitted values of that time, in milliseconds.
  package static let postgresUserTimeoutMsRange = 1_000...600_000
  /// Idle time of a connection before the kernel sends the first keepalive probe, in seconds.
  package static let postgresKeepaliveIdleSeconds = 5
  /// Interval between two keepalive probes without an answer, in seconds.
  package static let postgresKeepaliveIntervalSeconds = 2
  /// Number of keepalive probes without an answer after which the kernel closes the connection.
  package static let postgresKeepaliveProbesMax = 3
}
