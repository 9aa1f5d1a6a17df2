import Domain
import Logging
import Metrics
import Telemetry

/// A client's connection to one of several addresses of a service, and its change to the next address. Reactor's thread
/// only.
///
/// `AddressRotation` decides. Each change opens a new libzmq socket, so no message of the earlier connection remains.
final class ClientConnection {
  /// A change that the client's state machine must know.
  enum Change: Equatable {
    /// The connection is closed. The next one opens at `untilMs`, and then `tick` returns `connected`.
    case left(untilMs: Int64)
    /// A connection to the current address is open, or opens now.
    case connected
  }

  let socket: Socket
  private let link: LinkName
  private let logger: Logger
  private let reconnector: Reconnector
  private var rotation: AddressRotation<Endpoint>
  private var latest = LatestStart()
  /// Addresses whose earlier start of ingest is in the log.
  private var loggedEndpoints: Set<Endpoint> = []
  private var logLimiter = LogRateLimiter()
  private var random = SystemRandomNumberGenerator()
  private let refusals: Counter
  private let changes: [AddressChangeReason: Counter]

  /// Connects a socket to the first address, or to a random one.
  ///
  /// - Parameters:
  ///   - endpoints: At least one address of the same service, in the order in which to try them.
  ///   - startsAnywhere: True to begin at a random address.
  ///   - curve: Keys of the client and of the link, the same for all addresses. Nil disables encryption.
  ///   - logsConnections: True to log each connection.
  init(
    _ context: Reactor.Context, _ socket: Socket, connect endpoints: [Endpoint], startsAnywhere: Bool = false,
    as link: LinkName, curve: CurveClient?, logsConnections: Bool = true, logger: Logger
  ) throws(LinkError) {
    rotation = AddressRotation(endpoints, startingAt: startsAnywhere ? .random(in: endpoints.indices) : 0)
    self.socket = socket
    self.link = link
    self.logger = logger
    refusals = Metric.linkRefusedStarts.counter(link.rawValue)
    changes = Dictionary(
      uniqueKeysWithValues: AddressChangeReason.allCases.map { reason in
        (reason, Metric.linkAddressChanges.counter(link.rawValue, reason.rawValue))
      })
    reconnector = try context.connect(
      socket, rotation.current, as: logsConnections ? link : nil, curve: curve, logger: logger)
  }

  /// The address in use, or the next one during a pause.
  var endpoint: Endpoint { rotation.current }
  /// True between two addresses.
  var isPaused: Bool { rotation.pausedUntilMs != nil }
  /// True if the client knows another address.
  var hasOthers: Bool { rotation.hasOthers }
  /// Time of the next call of `tick`.
  var nextMs: Int64 { rotation.nextMs }

  /// Sends a message. Returns false if there is no connection, or if its queue is full.
  func send(_ frame: [UInt8], nowMs: Int64) -> Bool {
    let isAccepted = !isPaused && socket.send(frame) == .accepted
    rotation.sent(isAccepted: isAccepted, nowMs: nowMs)
    return isAccepted
  }

  /// Records a message which shows that the service serves this client.
  func answered() {
    rotation.answered()
    reconnector.answered()
  }

  /// Records that the client's session is over, so that another answer is due.
  func awaitAnswer() { rotation.awaitAnswer() }

  /// Returns false if a message came from an earlier start of ingest than one that the client has seen. Counts the
  /// refusal, and logs the first one of each address.
  func admits(_ start: IngestStart?) -> Bool {
    guard !latest.admits(start) else {
      loggedEndpoints.remove(endpoint)
      return true
    }
    refusals.increment()
    if loggedEndpoints.insert(endpoint).inserted {
      logger.error(
        "ingest refused: a later start of ingest is known",
        metadata: [
          "link": "\(link)", "endpoint": "\(endpoint)", "epoch": "\(start.map { "\($0.epoch)" } ?? "")",
          "generation": "\(start?.generation ?? 0)", "latest_generation": "\(latest.start?.generation ?? 0)",
        ])
    }
    return false
  }

  /// Opens a new connection after silence, to the next address if there are several. With one address, the new
  /// connection opens immediately.
  ///
  /// - Returns: the change, or nil with one address.
  func reconnect(nowMs: Int64) -> Change? {
    guard hasOthers else {
      reconnector.noteSilence(nowMs: nowMs)
      // If libzmq has no more sockets, the next silence tries again.
      try? socket.reconnect(endpoint)
      return nil
    }
    return leave(.silent, nowMs: nowMs)
  }

  /// Leaves the address if there are others.
  ///
  /// - Parameters:
  ///   - retryAfterMs: Time for which the service does not want this client.
  ///   - isUrgent: True for a change without a pause.
  /// - Returns: the change, or nil with one address.
  func leave(
    _ reason: AddressChangeReason, retryAfterMs: Int64 = 0, isUrgent: Bool = false, nowMs: Int64
  ) -> Change? {
    let step = rotation.leave(
      reason, retryAfterMs: retryAfterMs, isUrgent: isUrgent, nowMs: nowMs, using: &random)
    return perform(step, nowMs: nowMs)
  }

  /// Tries other addresses before the configured ones, from the next change on.
  func prefer(_ endpoints: [Endpoint]) { rotation.prefer(endpoints) }

  /// Performs the step that is due, and returns its change.
  func tick(nowMs: Int64) -> Change? { perform(rotation.tick(nowMs: nowMs, using: &random), nowMs: nowMs) }

  private func perform(_ step: AddressRotation<Endpoint>.Step?, nowMs: Int64) -> Change? {
    switch step {
    case .left(let address, let reason):
      let untilMs = rotation.pausedUntilMs ?? nowMs
      log(reason, from: address, pauseMs: untilMs - nowMs, nowMs: nowMs)
      changes[reason]?.increment()
      reconnector.disconnect()
      return .left(untilMs: untilMs)
    case .connect:
      reconnector.connect(endpoint)
      return .connected
    case nil: return nil
    }
  }

  /// Logs a change, once a minute for an address and a reason. While nothing answers, a client changes its address
  /// every few seconds.
  private func log(_ reason: AddressChangeReason, from address: Endpoint, pauseMs: Int64, nowMs: Int64) {
    guard let suppressed = logLimiter.admit("\(address) \(reason.rawValue)", nowMs: nowMs) else { return }
    var metadata: Logger.Metadata = [
      "link": "\(link)", "from": "\(address)", "to": "\(endpoint)", "reason": "\(reason.rawValue)",
      "pause_ms": "\(pauseMs)",
    ]
    if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
    logger.notice("address changed", metadata: metadata)
  }
}
