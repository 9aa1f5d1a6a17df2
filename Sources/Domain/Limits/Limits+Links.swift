/// Limits of the links: sockets, the reactor that serves them, retry pauses, log lines, and keys.
extension Limits {
  /// Number of times that a reactor yields its core before it looks for work, if it is woken twice within a
  /// millisecond. `make bench` shows the effect in the CPU time of all roles at 64 connections.
  package static let reactorYields = 2
  /// Maximum number of frames queued in each direction for one peer of the job link. The change log queues the same
  /// number of requests of one feed. A correct peer stays below this limit, because of its credit.
  package static let linkFramesQueuedMax = 1_000
  /// Interval between two log lines about the same peer's connections, in milliseconds.
  package static let logRepeatMs: Int64 = 60_000
  /// Maximum number of peers whose latest log line is remembered. Each takes about 200 bytes.
  package static let logSubjectsMax = 1_000
  /// Maximum number of log lines about peers' connections per second, for all peers together.
  package static let logLinesPerSecondMax = 10
  /// Maximum size of a control frame, in bytes: a feed's fetch (about 120 bytes), a ZAP request, or a socket event. The
  /// longest is a ZAP request with an address, a link's name and a key, about 200 bytes.
  package static let controlFrameBytesMax = 4_096
  /// Maximum size of an address with its port, in bytes. The longest is an ipc path. A host name has at most 253 bytes,
  /// but libzmq reports numbers only.
  package static let endpointBytesMax = 256
  /// Maximum size of an ipc endpoint's address with its scheme, in bytes. sockaddr_un has 108 bytes for a path and the
  /// terminating zero.
  package static let ipcEndpointBytesMax = 107
  /// Maximum size of the name of a worker or a feed, and of its software, in bytes. People read it in a table. A host
  /// name, a dash and a process id usually fit.
  package static let peerNameBytesMax = 64
  /// Time for which unsent frames delay the close of a socket, in milliseconds. A goodbye waits as long for its reply.
  package static let linkLingerMs: Int64 = goodbyeTimeoutMs
  /// Silence after which TCP probes a link's peer, and the interval between two probes, in seconds.
  package static let linkProbeSeconds = 5
  /// Longest time that a link's peer may leave bytes or probes unacknowledged, or its receive window closed, in
  /// milliseconds. The kernel then ends the connection (TCP_USER_TIMEOUT). The limit exceeds two liveness timeouts of
  /// the links.
  package static let linkUnreadMs = 15_000
  /// Timeout of one attempt to connect, in milliseconds. TCP resends a lost SYN after one second and after three.
  package static let linkConnectMs: Int64 = 5_000
  /// Timeout of a handshake, in milliseconds. A peer that connects and sends nothing holds a descriptor for this time.
  package static let linkHandshakeMs: Int64 = 10_000
  /// Range of the first pause before a socket reconnects, in milliseconds. A random choice from the range keeps a
  /// thousand peers from reconnecting at the same time.
  package static let linkReconnectMs: Range<Int64> = 100..<500
  /// Longest pause before a socket reconnects, in milliseconds. The peers of a restarted service are back within two
  /// seconds.
  package static let linkReconnectCapMs: Int64 = 2_000
  /// Interval at which a client without a connection tries to send, in milliseconds. Each attempt is one system call.
  package static let linkRetryMs: Int64 = 100
  /// Maximum number of addresses of a service. A goodbye names as many other feeds.
  package static let addressesMax = 8
  /// Time within which a client with several addresses must complete a handshake, in milliseconds. After this time it
  /// uses the next address. libzmq tries several times meanwhile, and three round trips of a distant host fit.
  package static let addressHandshakeMs: Int64 = 2_000
  /// Range of the first random pause before a client connects to its next address, in milliseconds. The range doubles
  /// with each round in which no address answers.
  package static let addressPauseMs: Int64 = 500
  /// Longest range of the pause before a client connects to its next address, in milliseconds. It is below the liveness
  /// timeout, so a service that starts is found within seconds.
  package static let addressPauseCapMs: Int64 = 4_000
  /// Longest time for which a client with several addresses skips an ingest that does not lead, in milliseconds. That
  /// ingest may lead a moment later, and is then the only one that serves.
  package static let notLeadingPauseMaxMs: Int64 = 6_000
  /// Interval between two attempts to bind an address again, in milliseconds. libzmq closes the old socket on another
  /// thread.
  package static let rebindMs: Int64 = 10
  /// Time after which a failed rebind is logged, in milliseconds. Another process must then have the address.
  package static let rebindOverdueMs: Int64 = 1_000
  /// Time that libzmq gets to free the memory of ended connections, in milliseconds: twice a socket's linger.
  package static let unreadFreedMs: Int64 = 2 * linkLingerMs
  /// Number of freed bytes from which a service returns the allocator's free memory to the kernel. The call takes
  /// milliseconds.
  package static let memoryTrimBytes = 33_554_432
  /// Longest wait of a reactor, in milliseconds. Each socket has a tick at least this often.
  package static let reactorWaitMs: Int64 = 1_000
  /// Maximum number of frames of one socket that a reactor reads in one tick, so that a flood does not starve other
  /// sockets and timers.
  package static let framesPerTick = 512
  /// Shortest interval between two log lines and replies about malformed frames of one link, in milliseconds.
  package static let malformedRepeatMs: Int64 = 1_000

  // Keys, and the CURVE handshake.

  /// Maximum number of keys on one allowlist: ten for each session or feed that could use one.
  package static let allowedKeysMax = 10_000
  /// Maximum size of a key file, in bytes. The longest allowlist with some comments fits.
  package static let keyFileBytesMax = 2_097_152
  /// Maximum size of a name after a key on an allowlist, in bytes: the same as a worker's name.
  package static let keyNameBytesMax = peerNameBytesMax
  /// Bytes that CURVE adds to a frame: its command's name, nonce, flags and authenticator (ZeroMQ RFC 26).
  package static let curveFrameBytes = 8 + 8 + 1 + 16
  /// Maximum size of a command of CURVE's handshake, in bytes. The longest, INITIATE, has 257 bytes and the peer's
  /// properties.
  package static let curveHandshakeBytesMax = 1_024
  /// Longest first pause of a client whose handshake failed, in milliseconds. Each further pause is twice as long.
  package static let handshakePauseBaseMs: Int64 = 1_000
  /// Longest pause between two failed handshakes, in milliseconds. A client whose key is added to the allowlist
  /// connects within seconds. A client with a wrong key costs the server 12 to 24 handshakes per minute. libzmq may
  /// begin further handshakes before the client stops it.
  package static let handshakePauseCapMs: Int64 = 5_000
}
