import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The server under load, and the form of its requests.
struct PostTarget: Sendable {
  typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

  private let host: String
  private let port: Int
  private let headers: HTTPHeaders
  private let group: any EventLoopGroup

  /// Creates a target.
  ///
  /// - Parameters:
  ///   - server: Address of the server, with plain HTTP.
  ///   - token: Token of the session.
  ///   - group: Event loops of the connections.
  init(_ server: URL, token: String, group: any EventLoopGroup) {
    // Some versions of Foundation keep the brackets of an IPv6 address, others remove them.
    host = (server.host ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    port = server.port ?? 80
    let name = host.contains(":") ? "[\(host)]" : host
    headers = [
      "Host": port == 80 ? name : "\(name):\(port)", "Authorization": "Bearer \(token)",
      "Content-Type": "application/json", "User-Agent": "onthemap-load",
    ]
    self.group = group
  }

  /// Connects to the server.
  ///
  /// - Throws: the network's error, after at most `LoadLimits.connectMs`.
  func connect() async throws -> Connection {
    try await ClientBootstrap(group: group)
      .connectTimeout(.milliseconds(LoadLimits.connectMs))
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .connect(host: host, port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
        }
      }
  }

  /// Returns the parts of a request with a post.
  func request(body: [UInt8], idempotencyKey: String) -> [HTTPClientRequestPart] {
    var headers = headers
    headers.add(name: "Idempotency-Key", value: idempotencyKey)
    headers.add(name: "Content-Length", value: String(body.count))
    let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/v2/posts", headers: headers)
    return [.head(head), .body(.byteBuffer(ByteBuffer(bytes: body))), .end(nil)]
  }
}
