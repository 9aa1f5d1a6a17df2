import HTTPTypes
import NIOCore
import NIOHTTP1

/// A reader of the version and of every `Host` of a request's head, which Hummingbird hides. The handler stands
/// directly after the parser. Its values therefore belong to the head that `HTTPConnectionGuard` receives next. Thread:
/// the connection's event loop.
final class RequestHeads: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  /// The problem with which the guard must refuse the latest request. Nil if the head is valid.
  private(set) var problem: Problem?
  /// True if the latest request is HTTP/1.0 without keep-alive, and thus the last of its connection. (RFC 9112, 9.3.)
  private(set) var isLast = false
  /// True if the latest request is HTTP/1.0, whose clients know no interim responses. (RFC 9110, 15.2.)
  private(set) var isOld = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data) { read(head) }
    context.fireChannelRead(data)
  }

  private func read(_ head: HTTPRequestHead) {
    isOld = head.version == .http1_0 || head.version == .http0_9
    isLast = isOld && !head.isKeepAlive
    var count = 0
    var isValid = true
    for (name, value) in head.headers where name.utf8.count == 4 && name.lowercased() == "host" {
      count += 1
      isValid = isValid && value.utf8.allSatisfy(RequestHeads.isHostByte)
    }
    let hasValidHost = isValid && (count == 1 || count == 0 && isOld)
    problem = hasValidHost ? nil : RequestHeads.badHost
  }

  /// Problem of a missing, second or invalid `Host`. (RFC 9112, 3.2; RFC 3986, 3.2.2.)
  private static let badHost = Problem(
    .badRequest, "malformed_request", "a request must have exactly one Host header, with a valid host name")

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: hostSigns.contains(byte)
    }
  }

  private static let hostSigns = Array("-._~%:[]!$&'()*+,;=".utf8)
}
