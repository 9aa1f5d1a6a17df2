/// An HTTP request that a gateway passes to ingest's own routes.
package struct ForwardedRequest: Sendable, Equatable {
  /// A header of a request or a response.
  package struct Header: Sendable, Equatable {
    /// Name, in the case in which it was sent.
    package let name: String
    /// Value, without the white space around it.
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Method, such as "GET".
  package let method: String
  /// Path and query.
  package let target: String
  /// The Host header. Nil without one.
  package let authority: String?
  /// The other headers, without X-Forwarded-For.
  package var headers: [Header]
  /// The whole body.
  package let body: [UInt8]
  /// The client's IP address, as the gateway determined it. Nil if it is unknown.
  package let clientAddress: String?

  package init(
    method: String, target: String, authority: String?, headers: [Header], body: [UInt8], clientAddress: String?
  ) {
    self.method = method
    self.target = target
    self.authority = authority
    self.headers = headers
    self.body = body
    self.clientAddress = clientAddress
  }
}

/// The response of ingest's routes to a forwarded request.
package struct ForwardedResponse: Sendable, Equatable {
  /// HTTP status.
  package let status: Int
  /// The headers of the routes' response.
  package let headers: [ForwardedRequest.Header]
  /// The whole body.
  package let body: [UInt8]

  package init(status: Int, headers: [ForwardedRequest.Header], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
