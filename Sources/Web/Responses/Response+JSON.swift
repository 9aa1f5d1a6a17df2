package import Domain
package import HTTPTypes
package import Hummingbird
package import NIOCore

extension Response {
  /// Creates a response with a JSON body that is already serialized.
  package init(json: ByteBuffer, status: HTTPResponse.Status = .ok) {
    self.init(status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: json))
  }

  /// Creates a response with a JSON body.
  package init(_ json: JSONWriter, status: HTTPResponse.Status = .ok) {
    self.init(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes)))
  }
}
