/// A SUB socket's side of ZMTP 3.0 with the NULL mechanism. It avoids libzmq, because a thousand libzmq sockets would
/// cost more than the feed.
struct ZMTPStream: FeedStream {
  private static let isFollowed: UInt8 = 1
  private static let isLong: UInt8 = 2
  private static let isCommand: UInt8 = 4

  /// Bytes of an incomplete frame.
  private var rest: [UInt8] = []

  /// Connects and performs the handshake of a SUB socket.
  static func connect(port: Int, topics: [String]) throws -> LoopbackSocket {
    let socket = try LoopbackSocket(port: port)
    let greeting = [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + Array("NULL".utf8)
    try socket.write(greeting + [UInt8](repeating: 0, count: 64 - greeting.count))
    _ = try socket.read(exactly: 64)
    let properties = text("READY") + text("Socket-Type") + [0, 0, 0] + text("SUB")
    try socket.write([isCommand, UInt8(properties.count)] + properties)
    let head = try socket.read(exactly: 2)
    _ = try socket.read(exactly: Int(head[1]))
    if !topics.isEmpty { try socket.write(topics.flatMap(subscription)) }
    return socket
  }

  static func subscription(to topic: String) -> [UInt8] { [0, UInt8(topic.utf8.count + 1), 1] + Array(topic.utf8) }

  mutating func receive(_ bytes: UnsafeRawBufferPointer, onMessage: (UInt64, Int) -> Void) throws -> [UInt8] {
    guard !rest.isEmpty else {
      let (used, reply) = try ZMTPStream.read(bytes, onMessage: onMessage)
      rest.append(contentsOf: bytes[used...])
      return reply
    }
    rest.append(contentsOf: bytes)
    let (used, reply) = try rest.withUnsafeBytes { try ZMTPStream.read($0, onMessage: onMessage) }
    rest.removeFirst(used)
    return reply
  }

  /// Parses whole frames. Returns the number of used bytes and the bytes to send back.
  private static func read(
    _ bytes: UnsafeRawBufferPointer, onMessage: (UInt64, Int) -> Void
  ) throws -> (used: Int, reply: [UInt8]) {
    var (used, reply) = (0, [UInt8]())
    while bytes.count - used >= 2 {
      let flags = bytes[used]
      var (head, length) = (2, Int(bytes[used + 1]))
      if flags & isLong != 0 {
        guard bytes.count - used >= 9 else { break }
        head = 9
        length = Int(UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: used + 1, as: UInt64.self)))
      }
      guard bytes.count - used - head >= length else { break }
      let body = UnsafeRawBufferPointer(rebasing: bytes[(used + head)..<(used + head + length)])
      used += head + length
      if flags & isCommand != 0 {
        reply += pong(to: body)
      } else if flags & isFollowed == 0 {
        onMessage(try number(of: body), length)
      }
    }
    return (used, reply)
  }

  /// Returns the PONG for a PING, or no bytes for another command. A PING has a time to live of two bytes, and a
  /// context. Without a PONG, the feed closes the connection.
  private static func pong(to command: UnsafeRawBufferPointer) -> [UInt8] {
    let ping = text("PING")
    guard command.starts(with: ping) else { return [] }
    let body = text("PONG") + command.dropFirst(ping.count + 2)
    return [isCommand, UInt8(body.count)] + body
  }

  /// Returns the sequence number, which is field 5 of a FeedFrame and comes before the long fields.
  private static func number(of frame: UnsafeRawBufferPointer) throws -> UInt64 {
    var index = 0
    func varint() throws -> UInt64 {
      var (value, shift): (UInt64, UInt64) = (0, 0)
      while index < frame.count, shift < 64 {
        let byte = frame[index]
        index += 1
        value |= UInt64(byte & 0x7F) << shift
        if byte & 0x80 == 0 { return value }
        shift += 7
      }
      throw BenchError("the feed sent a malformed FeedFrame")
    }
    while index < frame.count {
      let tag = try varint()
      switch (tag >> 3, tag & 7) {
      case (5, 0): return try varint()
      case (_, 0): _ = try varint()
      case (_, 1): index += 8
      case (_, 2): index += Int(clamping: try varint())
      case (_, 5): index += 4
      default: throw BenchError("the feed sent a malformed FeedFrame")
      }
    }
    return 0
  }

  private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
}
