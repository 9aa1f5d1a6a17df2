/// Limits of the links: sockets, the reactor that serves them, pauses before a client tries again, and log lines.
extension Limits {
  /// Times that a reactor yields its core before it looks for work, if it is woken twice within a millisecond. `make
  /// bench` shows them in the CPU time of all roles at 64 connections.
  package static let reactorYields = 2
  /// Frames that wait in each direction for one peer of the job link, and requests of one feed at the change log: more
  /// than credit allows a peer that keeps the protocol.
  package static let linkFramesQueuedMax = 1_000
  /// Time between two log lines about the same peer's connections.
  package static let logRepeatMs: Int64 = 60_000
  /// Peers that the log remembers for that; each about 200 bytes.
  package static let logSubjectsMax = 1_000
  /// Such lines in one second, about all peers together.
  package static let logLinesPerSecondMax = 10
  /// A frame that is no list, batch or job: a feed's fetch (about 120 bytes), a question about a key, or an event of a
  /// connection. The longest is libzmq's question about a key: an address, a link's name and a key, about 200 bytes.
  package static let controlFrameBytesMax = 4_096
  /// The text of an address with its port. The longest is an ipc path; a host name has 253 bytes at most, but libzmq
  /// reports numbers only.
  package static let endpointBytesMax = 256
  /// An address of an ipc endpoint with its scheme. sockaddr_un has 108 bytes for a path and the zero behind it.
  package static let ipcEndpointBytesMax = 107
  /// Name of a worker or a feed, and of its software: people read it in a table. A host name, a dash and a process id
  /// usually fit.
  package static let peerNameBytesMax = 64
  /// Time that unsent frames delay the close of a socket, in milliseconds: as long as a goodbye waits for its answer.
  package static let linkLingerMs: Int64 = goodbyeTimeoutMs
  /// Silence, in seconds, after which TCP probes a link's peer, and the time between two probes.
  package static let linkProbeSeconds = 5
  /// Longest time, in milliseconds, that a link's peer may leave bytes or probes unacknowledged, or its receive window
  /// closed. Then the kernel ends the connection (TCP_USER_TIMEOUT): more than two of the links' own silences.
  package static let linkUnreadMs = 15_000
  /// Timeout of one attempt to connect, in milliseconds: TCP sends a lost SYN again after one second and after three.
  package static let linkConnectMs: Int64 = 5_000
  /// Timeout of a handshake, in milliseconds. A peer that connects and says nothing holds a descriptor for this time.
  package static let linkHandshakeMs: Int64 = 10_000
  /// First pause before a socket connects again, in milliseconds. Random, so that a thousand peers do not come back in
  /// the same instant.
  package static let linkReconnectMs: Range<Int64> = 100..<500
  /// Longest of these pauses, in milliseconds: two seconds after a service is back, so are its peers.
  package static let linkReconnectCapMs: Int64 = 2_000
  /// Interval, in milliseconds, at which a client without a connection tries to send: each try is one system call.
  package static let linkRetryMs: Int64 = 100
  /// Time between two tries to bind an address again, in milliseconds: libzmq closes it on another thread.
  package static let rebindMs: Int64 = 10
  /// Time, in milliseconds, after which another process must have taken the address; then the log says so.
  package static let rebindOverdueMs: Int64 = 1_000
  /// Time, in milliseconds, that libzmq has to free what ended connections held: twice a socket's linger.
  package static let unreadFreedMs: Int64 = 2 * linkLingerMs
  /// Freed memory from which the allocator must return it to the kernel: the call takes milliseconds.
  package static let memoryTrimBytes = 33_554_432
  /// Longest wait of a reactor, in milliseconds: each station has a turn at least this often.
  package static let reactorWaitMs: Int64 = 1_000
  /// Frames of one socket that a reactor reads in one turn, so that a flood does not starve other sockets and timers.
  package static let framesPerTick = 512
  /// Time between two log lines and answers about frames that cannot be read, in milliseconds, of each link.
  package static let malformedRepeatMs: Int64 = 1_000
}
