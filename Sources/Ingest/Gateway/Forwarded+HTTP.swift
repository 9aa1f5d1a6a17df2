import Domain
import HTTPTypes
import Hummingbird
import Messaging
import NIOCore

extension Request {
  /// Creates the request that a gateway has forwarded.
  init(_ forwarded: ForwardedRequest) {
    self.init(
      head: HTTPRequest(
        method: HTTPRequest.Method(forwarded.method) ?? .get, scheme: "http", authority: forwarded.authority,
        path: forwarded.target, headerFields: HTTPFields(forwarded.headers)),
      body: .init(buffer: ByteBuffer(bytes: forwarded.body)))
  }
}

extension ForwardedRequest {
  /// Creates the request that a gateway forwards.
  ///
  /// - Parameter extra: A header that the gateway adds. Nil for none.
  init(_ request: Request, body: ByteBuffer, client: IPAddress?, extra: HTTPField? = nil) {
    var headers = request.headers
    // Ingest gets the client's address itself, and its connection has other properties than the client's.
    for name in ForwardedRequest.connectionHeaders { headers[name] = nil }
    if let extra { headers.append(extra) }
    self.init(
      method: request.method.rawValue, target: request.head.path ?? "/", authority: request.head.authority,
      headers: headers.map { Header(name: $0.name.rawName, value: $0.value) }, body: Array(body.readableBytesView),
      clientAddress: client?.description)
  }

  /// Headers that concern one connection only. (RFC 9110, section 7.6.1.)
  private static let connectionHeaders: [HTTPField.Name] = [
    .connection, .transferEncoding, .contentLength, .expect, .upgrade, .xForwardedFor,
  ]
}

extension ForwardedResponse {
  /// Collects the response of ingest's routes.
  ///
  /// - Throws: `ResponseTooLong`, or the error of a body that ends early.
  init(_ response: Response) async throws {
    let body = CollectedBody()
    try await response.body.write(body)
    self.init(
      status: response.status.code,
      headers: response.headers.map { ForwardedRequest.Header(name: $0.name.rawName, value: $0.value) },
      body: body.bytes)
  }
}

extension Response {
  /// Creates the response that a gateway sends to its client.
  init(_ forwarded: ForwardedResponse) {
    self.init(
      status: HTTPResponse.Status(integerLiteral: forwarded.status), headers: HTTPFields(forwarded.headers),
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: forwarded.body)))
  }
}

extension HTTPFields {
  fileprivate init(_ headers: [ForwardedRequest.Header]) {
    self.init(
      headers.compactMap { header in
        HTTPField.Name(header.name).map { HTTPField(name: $0, value: header.value) }
      })
  }
}

/// Error for a response that is longer than `Limits.gatewayResponseBytesMax`.
private struct ResponseTooLong: Error {}

/// Writer that collects a body in memory. One task uses it at a time.
private final class CollectedBody: ResponseBodyWriter {
  private(set) var bytes: [UInt8] = []

  func write(_ buffer: ByteBuffer) throws {
    guard bytes.count + buffer.readableBytes <= Limits.gatewayResponseBytesMax else { throw ResponseTooLong() }
    bytes.append(contentsOf: buffer.readableBytesView)
  }

  func finish(_ trailingHeaders: HTTPFields?) {}
}
