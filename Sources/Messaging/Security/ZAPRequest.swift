import Domain

/// A question of libzmq to whoever lets peers in: may this one? (ZeroMQ RFC 27, version 1.0, as a ROUTER reads it.)
struct ZAPRequest {
  /// What the answer goes to: the frames before the version.
  let envelope: [[UInt8]]
  let id: [UInt8]
  /// The link.
  let domain: String
  /// The peer's address, without its port.
  let address: String
  let mechanism: String
  /// Nil where the mechanism has none.
  let key: PublicKey?

  /// Nil for what is no request.
  init?(_ frames: [[UInt8]]) {
    guard frames.count >= 8, frames[1].isEmpty, frames[2] == Array("1.0".utf8) else { return nil }
    envelope = [frames[0], frames[1]]
    id = frames[3]
    domain = String(decoding: frames[4], as: UTF8.self)
    let address = String(decoding: frames[5], as: UTF8.self)
    // IPv4 as a socket for both families writes it.
    self.address = address.hasPrefix("::ffff:") ? String(address.dropFirst(7)) : address
    mechanism = String(decoding: frames[7], as: UTF8.self)
    key = mechanism == "CURVE" && frames.count == 9 ? PublicKey(bytes: frames[8]) : nil
  }

  /// The frames of the answer.
  ///
  /// - Parameter name: of the peer; nil for one who may not come in.
  func answer(_ name: String?) -> [[UInt8]] {
    let words = name.map { ["200", "OK", $0, ""] } ?? ["400", "not allowed", "", ""]
    return envelope + [Array("1.0".utf8), id] + words.map { Array($0.utf8) }
  }

  /// Frames of a request at most.
  static let framesMax = 9
}
