/// Limits of the links: sockets, the reactor that serves them, and pauses before a client tries again.
extension Limits {
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
  /// Code of a job's failure: a word such as `remote_unavailable`.
  package static let failureCodeBytesMax = 64
  /// Detail of a job's failure: one sentence with what the provider said.
  package static let failureDetailBytesMax = 256
  /// Bytes of a lease in a Hello, heartbeat or Goodbye: two numbers of at most 9 and 10 bytes with their tags.
  package static let leaseReferenceBytesMax = 20
  /// The part of such a frame that is no lease: names, versions and the body's own fields.
  package static let jobFrameHeadBytesMax = 512

  /// Time that unsent frames delay the close of a socket, in milliseconds: as long as a goodbye waits for its answer.
  package static let linkLingerMs: Int64 = leaveMs
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
  package static let framesPerTurn = 512
  /// Time between two log lines and answers about frames that cannot be read, in milliseconds, of each link.
  package static let malformedRepeatMs: Int64 = 1_000

  /// Time after which a worker repeats a Hello without an answer, in milliseconds: more than a round trip and a commit.
  package static let helloRepeatMs: Int64 = 1_000
  /// First pause before a worker sends a result again that is not acknowledged, in milliseconds; doubled each time.
  /// More than a commit takes on a busy disk.
  package static let resultResendMs: Int64 = 1_000
  /// Longest of these pauses, in milliseconds: as long as a lease. Ingest may refuse results for as long as its disk is
  /// full.
  package static let resultResendCapMs: Int64 = leaseMs
  /// Shortest heartbeat that a worker accepts, in milliseconds: a Welcome with 0 must not make it send without a pause.
  package static let heartbeatMinMs: Int64 = 100
  /// Heartbeats in a row that must be lost before an end of the job link counts as dead: one may be late, two hardly.
  package static let heartbeatsPerLiveness: Int64 = 3
  /// Shortest pause of a worker after a refusal, in milliseconds, also where ingest asks for none.
  package static let refusedPauseMinMs: Int64 = 1_000

  /// Timeout of a feed's fetch, in milliseconds: as long as ingest keeps it open, and as long again for its way. Then
  /// the connection was lost with it.
  package static let fetchAnswerMs: Int64 = 2 * fetchWaitMs
  /// Range of a subscriber's first random pause before it joins again, in milliseconds; doubled by each loss.
  package static let joinPauseMs: Int64 = 500
  /// Longest of these ranges, in milliseconds: at `joinsPerSecondMax` 6,000 subscribers of a restarted feed join within
  /// it.
  package static let joinPauseCapMs: Int64 = 30_000
  /// Time after which a join that has brought no list is repeated, in milliseconds: three heartbeats of the feed.
  package static let joinAnswerMs: Int64 = 3 * feedHeartbeatMs
  /// Time between two turns of a feed while joins wait, in milliseconds: at `joinsPerSecondMax` one join.
  package static let joinTurnMs: Int64 = 5
  /// Pause that a feed asks of a peer whose question it refuses, in milliseconds: its limits are per second.
  package static let feedQueryBusyMs: Int64 = 1_000
  /// Pause that a feed without a list asks of a peer, in milliseconds: a list comes with ingest's first answer.
  package static let feedQueryEmptyMs: Int64 = 2_000

  /// Pause of a tool whose question found no connection, in milliseconds: people wait for the answer.
  package static let adminRetryMs: Int64 = 20
  /// Pause of a producer whose batch found no connection, or a full one, in milliseconds.
  package static let submitUnsentMs: Int64 = 50
}
