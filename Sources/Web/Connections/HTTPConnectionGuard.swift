import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// How a client went before it had its answer.
package enum DisconnectReason: Sendable {
  /// By itself, or with its network.
  case closed
  /// It did not read for `Limits.httpUnreadMs`.
  case slowReader
}

/// Watches one connection, between its bytes and the HTTP library: what is no HTTP is answered with a problem, and who
/// takes too long to send a request, or to take an answer, is cut off.
///
/// Requests of one connection are answered one after the other, so that counting says whose turn it is.
/// Thread: the connection's event loop.
final class HTTPConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Requests that have come whole.
  private var received = 0
  /// Requests whose answer has begun, and those whose answer is written.
  private var begun = 0
  private var answered = 0
  /// Something of a request has come, but not all of it.
  private var isReceiving = false
  /// Whether what was just read held any part of a request; otherwise it was a piece of a head.
  private var hasRead = false
  /// The parser stops at a request for another protocol, which is answered like any other, and would keep all that
  /// follows in memory.
  private var ignoresInput = false
  /// Of the latest request whose head has come: what goes wrong before the next one has come is most likely about the
  /// same API.
  private var path = "/"
  /// What the parser has refused.
  private var problem: Problem?
  /// Nothing more is to be said.
  private var isOver = false
  private var receiving: Scheduled<Void>?
  private var unread: Scheduled<Void>?
  /// The client sends no more.
  private var isInputClosed = false
  /// Who wants to know if the client goes before its answer.
  private var onDisconnect: (@Sendable (DisconnectReason) -> Void)?
  private var going: Scheduled<Void>?
  private var departure = DisconnectReason.closed
  private let heads = RequestHeads()
  private let counts: ConnectionCounts
  private let form: ProblemFormat
  /// Who is counted.
  private var counted: IPAddress?
  /// The address has as many connections as one may have.
  private var isRejected = false
  /// Nil before and after it is part of the connection.
  private var context: ChannelHandlerContext?

  init(_ counts: ConnectionCounts, form: @escaping ProblemFormat) {
    self.counts = counts
    self.form = form
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    let pipeline = context.pipeline.syncOperations
    // Tests without a parser have none.
    guard let parser = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
    try? pipeline.addHandler(heads, position: .after(parser))
  }

  func channelActive(context: ChannelHandlerContext) {
    let address = context.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
    if let address, counts.admit(address) {
      counted = address
    } else if address != nil {
      isRejected = true
      receiving = later(context.eventLoop, ms: Limits.httpRejectedMs) { context.close(promise: nil) }
    }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasRead = true
    let part = unwrapInboundIn(data)
    if case .head(let head) = part { path = head.path ?? "/" }
    guard !isRejected else { return rejectConnection(context) }
    // After a bad head, nothing more on the connection counts.
    guard problem == nil else { return }
    switch part {
    case .head where heads.problem != nil:
      problem = heads.problem
      context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
      return
    case .head(var head):
      isReceiving = true
      ignoresInput = head.method == .connect
      var closes = heads.isLast
      // One pass: to ask for each by its name costs more than the rest of this.
      for field in head.headerFields {
        switch field.name {
        case .upgrade: ignoresInput = true
        // The library knows it in lower case only.
        case .connection: closes = closes || field.value.lowercased() == "close"
        case .expect where answered == received && field.value.lowercased() == "100-continue":
          context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        default: break
        }
      }
      if ignoresInput || closes {
        head.headerFields[.connection] = "close"
        return context.fireChannelRead(wrapInboundOut(.head(head)))
      }
    case .body: break
    case .end:
      isReceiving = false
      received += 1
      endReceiving()
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if !hasRead, !ignoresInput { isReceiving = true }
    hasRead = false
    watch(context)
    context.fireChannelReadComplete()
  }

  func read(context: ChannelHandlerContext) {
    if heads.problem == nil, !ignoresInput || isReceiving { context.read() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if problem == nil, let error = error as? HTTPParserError { problem = Problem(error) }
    // The library answers, in its turn; `write` puts the problem in the place of its empty answer.
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
        answer(problem, context)
        promise?.succeed()
        return
      }
      begun += 1
      guard ignoresInput, begun == received + (isReceiving ? 1 : 0) else { return context.write(data, promise: promise) }
      head.headerFields[.connection] = "close"
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      answered += 1
      onDisconnect = nil
      context.write(data, promise: promise)
      watch(context)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    unread?.cancel()
    unread =
      context.channel.isWritable
      ? nil
      : later(context.eventLoop, ms: Limits.httpUnreadMs) { [self] in
        departure = .slowReader
        context.close(promise: nil)
      }
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent {
      isInputClosed = true
      scheduleDisconnect()
    }
    context.fireUserInboundEventTriggered(event)
  }

  /// Calls back, once at most, when the client goes before the answer to the request at hand is written.
  func observeDisconnect(_ callback: @escaping @Sendable (DisconnectReason) -> Void) {
    onDisconnect = callback
    if isInputClosed { scheduleDisconnect() }
  }

  private func scheduleDisconnect() {
    going?.cancel()
    going = context.map { later($0.eventLoop, ms: Limits.httpDisconnectGraceMs) { [self] in reportDisconnect() } }
  }

  private func reportDisconnect() {
    let callback = onDisconnect
    onDisconnect = nil
    callback?(departure)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    reportDisconnect()
    going?.cancel()
    endReceiving()
    unread?.cancel()
    if let counted { counts.release(counted) }
  }

  /// The time of a request runs while it is being received, and nothing else keeps the connection busy: meanwhile the
  /// library does not read, and the client is not to blame.
  private func watch(_ context: ChannelHandlerContext) {
    if isReceiving, answered >= received {
      receiving = receiving ?? later(context.eventLoop, ms: Limits.httpRequestMs) { [self] in cut(context) }
    } else {
      endReceiving()
    }
  }

  private func endReceiving() {
    receiving?.cancel()
    receiving = nil
  }

  private func cut(_ context: ChannelHandlerContext) {
    if problem == nil {
      let seconds = Limits.httpRequestMs / 1_000
      answer(Problem(.requestTimeout, "request_timeout", "the request took longer than \(seconds) s to come"), context)
    }
    context.close(promise: nil)
  }

  private func rejectConnection(_ context: ChannelHandlerContext) {
    guard !isOver else { return }
    let problem = Problem(
      .tooManyRequests, "too_many_connections",
      "your address has as many connections as one may have; close some, or come through fewer",
      retryAfterSeconds: Limits.retryConnectionSeconds)
    answer(problem, context)
    context.close(promise: nil)
  }

  /// The last word, unless the request has been answered before it went wrong.
  private func answer(_ problem: Problem, _ context: ChannelHandlerContext) {
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

  /// Whether the connection takes more of an answer at the moment.
  var isWritable: Bool { context?.channel.isWritable ?? false }

  /// More of the answer that has begun. Nothing comes of it when the connection is gone.
  func push(_ buffers: [ByteBuffer]) {
    for buffer in buffers { context?.write(wrapOutboundOut(.body(buffer)), promise: nil) }
    context?.flush()
  }

  /// Closes the connection, whatever is still to be written.
  func close() { context?.close(promise: nil) }

  private func later(_ eventLoop: any EventLoop, ms: Int64, _ body: @escaping () -> Void) -> Scheduled<Void> {
    eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(ms), body)
  }
}

extension Problem {
  /// What the parser says of bytes that are no request.
  fileprivate init(_ error: HTTPParserError) {
    switch error {
    case .headerOverflow:
      self.init(
        .requestHeaderFieldsTooLarge, "headers_too_large",
        "address and headers have more than \(Limits.httpHeaderBytesMax) bytes, or more than "
          + "\(Limits.httpHeadersMax) headers")
    default: self.init(.badRequest, "malformed_request", "this is no HTTP/1.1 request: \(error.debugDescription)")
    }
  }
}
