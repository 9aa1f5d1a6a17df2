import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded

@testable import Domain
@testable import Ingest
@testable import Web

/// Responder that passes requests to the routes as if from 127.0.0.1, over a guarded connection. It moves the Host
/// header to the request's authority.
struct LoopbackResponder: HTTPResponder {
  let base: RouterResponder<ConnectionContext>
  private let counts: ConnectionCounts
  private static let host = HTTPField.Name("Host")!

  init(base: RouterResponder<ConnectionContext>, proxies: TrustedProxies) {
    self.base = base
    counts = ConnectionCounts(perNetworkMax: 1_000, proxies: proxies)
  }

  func respond(to request: Request, context: ConnectionContext) async throws -> Response {
    guard let channel = context.channel as? NIOAsyncTestingChannel else {
      preconditionFailure("HummingbirdTesting uses another channel type now.")
    }
    channel.remoteAddress = try SocketAddress(ipAddress: "127.0.0.1", port: 50_000)
    try await channel.testingEventLoop.executeInContext { [counts] in
      let connectionGuard = HTTPConnectionGuard(counts, UnreadResponses(), form: CompatResponseFormat.body)
      try channel.pipeline.syncOperations.addHandler(connectionGuard)
    }
    var head = request.head
    if let host = head.headerFields[Self.host] {
      head.authority = host
      head.headerFields[Self.host] = nil
    }
    return try await base.respond(to: Request(head: head, body: request.body), context: context)
  }
}
