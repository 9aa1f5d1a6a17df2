import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// The reason why a client disconnected before it had its response.
package enum DisconnectReason: Sendable {
  /// The client or its network closed the connection.
  case closed
  /// The client did not read for `Limits.httpUnreadMs`, so the server closed the connection.
  case slowReader
}

/// Guard of one connection, between the parser and Hummingbird. It responds to malformed HTTP with a problem and
/// disconnects a client that sends or reads too slowly.
///
/// Hummingbird responds to a connection's requests in order. Counts of requests and responses therefore show to which
/// request a response belongs. Thread: the connection's event loop.
final class HTTPConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Number of complete requests.
  private var received = 0
  /// Number of requests whose response has begun.
  private var begun = 0
  /// Number of requests whose response is complete.
  private var responded = 0
  /// True if a part of a request has arrived, but not all of it.
  private var isReceiving = false
  /// True if the current read has delivered a head, a body or an end. A read without any of them is a piece of a head.
  private var hasRead = false
  /// True after a request to switch protocols. The service responds to the request as to any other. The guard then
  /// stops reading, because the parser would keep all later bytes in memory.
  private var ignoresInput = false
  /// Path of the latest request head. An error before the next head probably concerns the same API.
  private var path = "/"
  /// The parser's error, or the problem of a bad head.
  private var problem: Problem?
  /// True after the connection's last response. Later writes fail.
  private var isOver = false
  private var receiveTimeout: Scheduled<Void>?
  private var unreadTimeout: Scheduled<Void>?
  /// True after the client has closed its sending side.
  private var isInputClosed = false
  /// Callback for a disconnect before the response is written.
  private var onDisconnect: (@Sendable (DisconnectReason) -> Void)?
  private var probeTimer: Scheduled<Void>?
  /// Time until the next probe of a half-closed connection, in milliseconds.
  private var probeMs = Limits.httpProbeMs
  /// True after the server has begun to shut down. The last response then announces the end of the connection.
  private var isQuiescing = false
  /// True while a shutdown waits for the connection's request.
  private var isQuiesceHeld = false
  /// Timer of a shutdown that waits for a request, or for the rest of one.
  private var quiesceTimer: Scheduled<Void>?
  /// True between the head and the end of a request.
  private var isReadingBody = false
  private var disconnectReason = DisconnectReason.closed
  private let heads = RequestHeads()
  private let counts: ConnectionCounts
  private let unread: UnreadResponses
  /// True after the connection has become a stream. A stream has its own limit, and all streams share their buffers.
  private var isStream = false
  private let form: ProblemFormat
  /// Admitted address, which `counts` releases when the handler is removed. Nil if the connection is refused.
  private var counted: IPAddress?
  /// True if the client's network already has the maximum number of connections.
  private var isRefused = false
  /// Context in the pipeline. Nil before the handler is added and after it is removed.
  private var context: ChannelHandlerContext?

  init(_ counts: ConnectionCounts, _ unread: UnreadResponses, form: @escaping ProblemFormat) {
    self.counts = counts
    self.unread = unread
    self.form = form
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    let pipeline = context.pipeline.syncOperations
    // Some tests have no parser.
    guard let parser = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
    try? pipeline.addHandler(heads, position: .after(parser))
  }

  func channelActive(context: ChannelHandlerContext) {
    let address = context.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
    if let address, counts.admit(address) {
      counted = address
    } else if address != nil {
      isRefused = true
      receiveTimeout = schedule(context.eventLoop, ms: Limits.httpRefusedMs) { context.close(promise: nil) }
    }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasRead = true
    let part = unwrapInboundIn(data)
    if case .head(let head) = part { path = head.path ?? "/" }
    guard !isRefused else { return refuseConnection(context) }
    // After a bad head, ignore the rest of the connection.
    guard problem == nil else { return }
    switch part {
    case .head where heads.problem != nil:
      problem = heads.problem
      context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
      return
    case .head(var head):
      (isReceiving, isReadingBody) = (true, true)
      ignoresInput = head.method == .connect
      var closes = heads.isLast
      // A single pass: a search for each field by name costs more than the rest of this function.
      for field in head.headerFields {
        switch field.name {
        case .upgrade: ignoresInput = true
        // Hummingbird recognizes the value in lower case only.
        case .connection: closes = closes || field.value.lowercased() == "close"
        case .expect where responded == received && field.value.lowercased() == "100-continue":
          context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        default: break
        }
      }
      if ignoresInput || closes {
        head.headerFields[.connection] = "close"
        context.fireChannelRead(wrapInboundOut(.head(head)))
        return passOnShutdown(context)
      }
      context.fireChannelRead(data)
      return passOnShutdown(context)
    case .body: break
    case .end:
      (isReceiving, isReadingBody) = (false, false)
      received += 1
      endReceiving()
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if !hasRead, !ignoresInput { isReceiving = true }
    hasRead = false
    updateReceiveTimeout(context)
    context.fireChannelReadComplete()
  }

  func read(context: ChannelHandlerContext) {
    if heads.problem == nil, !ignoresInput || isReceiving { context.read() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if problem == nil, let error = error as? HTTPParserError { problem = Problem(error) }
    // Hummingbird sends an empty response after those to earlier requests. `write` replaces it with the problem.
    context.fireErrorCaught(error)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isOver else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.status.kind == .informational: context.write(data, promise: promise)
    case .head(var head):
      if let problem, head.status == .badRequest, head.headerFields[.contentLength] == "0" {
        respond(problem, context)
        promise?.succeed()
        return
      }
      begun += 1
      guard ignoresInput || isQuiescing, begun == received + (isReceiving ? 1 : 0) else {
        return context.write(data, promise: promise)
      }
      head.headerFields[.connection] = "close"
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      responded += 1
      onDisconnect = nil
      context.write(data, promise: promise)
      updateReceiveTimeout(context)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    endUnread()
    if !context.channel.isWritable {
      unreadTimeout = schedule(context.eventLoop, ms: Limits.httpUnreadMs) { [self] in closeSlowReader() }
      if !isStream { countUnread(context) }
    }
    context.fireChannelWritabilityChanged()
  }

  /// Counts the unread bytes of a response. Hummingbird writes no more before the client has read.
  private func countUnread(_ context: ChannelHandlerContext) {
    guard let bytes = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes) else { return }
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    unread.begin(ObjectIdentifier(self), bytes: bytes) { [eventLoop = context.eventLoop] in
      eventLoop.execute { if !bound.value.isWritable { bound.value.closeSlowReader() } }
    }
  }

  private func endUnread() {
    unreadTimeout?.cancel()
    unreadTimeout = nil
    unread.end(ObjectIdentifier(self))
  }

  private func closeSlowReader() {
    disconnectReason = .slowReader
    context?.close(promise: nil)
  }

  /// Records that the connection has become a stream.
  func becomeStream() { isStream = true }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent {
      isInputClosed = true
      scheduleProbe()
    }
    guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
    isQuiescing = true
    // Hummingbird closes a connection without a request in progress. But a request may be on its way, and a client
    // cannot repeat every request.
    isQuiesceHeld = received == responded && !isReadingBody
    if isQuiesceHeld || isReceiving && responded >= received {
      quiesceTimer = schedule(context.eventLoop, ms: Limits.httpQuiesceMs) { [self] in
        if isReceiving, responded >= received { return timeOut(context, afterMs: Limits.httpQuiesceMs) }
        passOnShutdown(context)
      }
    }
    if !isQuiesceHeld { context.fireUserInboundEventTriggered(event) }
  }

  /// Passes on the shutdown that waits for a request. Without one, does nothing.
  private func passOnShutdown(_ context: ChannelHandlerContext) {
    guard isQuiesceHeld else { return }
    isQuiesceHeld = false
    context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
  }

  /// Calls back, at most once, when the client disconnects before the response to the current request is written.
  func observeDisconnect(_ callback: @escaping @Sendable (DisconnectReason) -> Void) {
    onDisconnect = callback
    probeMs = Limits.httpProbeMs
    if isInputClosed { scheduleProbe() }
  }

  private func scheduleProbe() {
    probeTimer?.cancel()
    probeTimer = context.map { context in schedule(context.eventLoop, ms: probeMs) { [self] in probe(context) } }
  }

  /// Finds out whether a client that has closed its sending side still reads. TCP shows no difference before the next
  /// write. The probe is an interim response, which each client of HTTP/1.1 accepts and ignores. (RFC 9110, 15.2.) A
  /// host without a reader answers with a reset, which closes the connection.
  ///
  /// A client that cannot get an interim response counts as disconnected: one of HTTP/1.0, and the reader of a stream.
  private func probe(_ context: ChannelHandlerContext) {
    guard onDisconnect != nil else { return }
    guard begun == responded, !heads.isOld else { return reportDisconnect() }
    context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    probeMs *= 2
    scheduleProbe()
  }

  private func reportDisconnect() {
    let callback = onDisconnect
    onDisconnect = nil
    callback?(disconnectReason)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    reportDisconnect()
    probeTimer?.cancel()
    quiesceTimer?.cancel()
    endReceiving()
    endUnread()
    if let counted { counts.release(counted) }
  }

  /// Starts or cancels the request timeout. The timeout runs only while a request arrives and no earlier request is in
  /// progress. Hummingbird does not read during a request, so the client does not cause that delay.
  private func updateReceiveTimeout(_ context: ChannelHandlerContext) {
    if isReceiving, responded >= received {
      receiveTimeout =
        receiveTimeout
        ?? schedule(context.eventLoop, ms: Limits.httpRequestMs) { [self] in
          timeOut(context, afterMs: Limits.httpRequestMs)
        }
    } else {
      endReceiving()
    }
  }

  private func endReceiving() {
    receiveTimeout?.cancel()
    receiveTimeout = nil
  }

  private func timeOut(_ context: ChannelHandlerContext, afterMs: Int64) {
    if problem == nil {
      let seconds = afterMs / 1_000
      let problem = Problem(
        .requestTimeout, "request_timeout", "the request did not arrive within \(seconds) s; send it again")
      respond(problem, context)
    }
    context.close(promise: nil)
  }

  private func refuseConnection(_ context: ChannelHandlerContext) {
    guard !isOver else { return }
    let problem = Problem(
      .tooManyRequests, "too_many_connections",
      "your network has the maximum number of connections; close some, and try again",
      retryAfterSeconds: Limits.retryConnectionSeconds)
    respond(problem, context)
    context.close(promise: nil)
  }

  /// Writes the connection's last response, unless the request already has a response.
  private func respond(_ problem: Problem, _ context: ChannelHandlerContext) {
    isOver = true
    guard begun == received else { return }
    let (type, body) = problem.body(in: form, at: String(path.prefix { $0 != "?" }))
    var head = HTTPResponse(status: problem.status, headerFields: problem.headers)
    head.headerFields[.contentType] = type
    head.headerFields[.contentLength] = "\(body.readableBytes)"
    head.headerFields[.connection] = "close"
    head.headerFields.addSecurityHeaders()
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  /// True if the connection sends more of a response now. Otherwise NIO buffers written data in memory.
  var isWritable: Bool { context?.channel.isWritable ?? false }

  /// Writes more of the response that has begun. Does nothing if the connection is closed.
  func push(_ buffers: [ByteBuffer]) {
    for buffer in buffers { context?.write(wrapOutboundOut(.body(buffer)), promise: nil) }
    context?.flush()
  }

  /// Closes the connection and drops unsent data.
  func close() { context?.close(promise: nil) }

  private func schedule(_ eventLoop: any EventLoop, ms: Int64, _ body: @escaping () -> Void) -> Scheduled<Void> {
    eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(ms), body)
  }
}

extension Problem {
  /// Creates the problem for bytes that the parser refuses.
  fileprivate init(_ error: HTTPParserError) {
    switch error {
    case .headerOverflow:
      self.init(
        .requestHeaderFieldsTooLarge, "headers_too_large",
        "the target and the headers have more than \(Limits.httpHeaderBytesMax) bytes, or more than "
          + "\(Limits.httpHeadersMax) headers")
    default: self.init(.badRequest, "malformed_request", "this is not an HTTP/1.1 request: \(error.debugDescription)")
    }
  }
}
