package import HTTPTypes
package import Hummingbird
import NIOCore
package import OnTheMap

extension Response {
  /// A JSON body.
  package init(_ json: JSONText, status: HTTPResponse.Status = .ok) {
    self.init(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes)))
  }
}
