import Domain

/// A request of libzmq to authorize a peer (ZeroMQ RFC 27, version 1.0), as a ROUTER reads it.
struct ZAPRequest {
  /// The envelope of the reply: the frames before the version.
  let envelope: [[UInt8]]
  let id: [UInt8]
  /// Domain of the link.
  let domain: String
  /// The peer's address, without its port.
  let address: String
  let mechanism: String
  /// The peer's public key. Nil if its mechanism has none.
  let key: PublicKey?

  /// Decodes a request. Nil for other frames.
  init?(_ frames: [[UInt8]]) {
    guard frames.count >= 8, frames[1].isEmpty, frames[2] == Array("1.0".utf8) else { return nil }
    envelope = [frames[0], frames[1]]
    id = frames[3]
    domain = String(decoding: frames[4], as: UTF8.self)
    let address = String(decoding: frames[5], as: UTF8.self)
    // A dual-stack socket writes IPv4 addresses with this prefix.
    self.address = address.hasPrefix("::ffff:") ? String(address.dropFirst(7)) : address
    mechanism = String(decoding: frames[7], as: UTF8.self)
    key = mechanism == "CURVE" && frames.count == 9 ? PublicKey(bytes: frames[8]) : nil
  }

  /// Returns the frames of the reply.
  ///
  /// - Parameter name: Name of a permitted peer. Nil refuses the peer.
  func reply(_ name: String?) -> [[UInt8]] {
    let texts = name.map { ["200", "OK", $0, ""] } ?? ["400", "not allowed", "", ""]
    return envelope + [Array("1.0".utf8), id] + texts.map { Array($0.utf8) }
  }

  /// Maximum number of frames of a request.
  static let framesMax = 9
}
