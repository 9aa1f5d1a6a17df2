package import Domain
package import HTTPTypes
package import Hummingbird
package import NIOCore

extension Response {
  /// A JSON body that is written already.
  package init(json: ByteBuffer, status: HTTPResponse.Status = .ok) {
    self.init(status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: json))
  }

  /// A JSON body.
  package init(_ json: JSONWriter, status: HTTPResponse.Status = .ok) {
    self.init(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes)))
  }
}
