/// A parser of server-sent events over HTTP/1.1, with chunks or until the end of the connection.
struct EventStream: FeedStream {
  private enum Part {
    case head
    case chunkHead
    case chunk(left: Int)
    case chunkEnd
    case toTheEnd
  }

  private var part = Part.head
  private var isChunked = false
  /// Current line of the HTTP head or of a chunk head.
  private var httpLine: [UInt8] = []
  /// Current line of an event. Truncated for long data.
  private var line: [UInt8] = []
  private var number: UInt64 = 0
  private var eventBytes = 0
  private var hasData = false

  /// Connects and sends the request.
  static func connect(port: Int) throws -> LoopbackSocket {
    let socket = try LoopbackSocket(port: port)
    let head = "GET /v2/feed/stream HTTP/1.1\r\nHost: localhost:\(port)\r\nAccept: text/event-stream\r\n\r\n"
    try socket.write(Array(head.utf8))
    return socket
  }

  mutating func receive(_ bytes: UnsafeRawBufferPointer, onMessage: (UInt64, Int) -> Void) throws -> [UInt8] {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch part {
      case .toTheEnd:
        try read(rest, onMessage)
        return []
      case .chunk(let left):
        try read(rest.prefix(left), onMessage)
        part = rest.count < left ? .chunk(left: left - rest.count) : .chunkEnd
        rest = rest.dropFirst(left)
      case .head, .chunkHead, .chunkEnd:
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
          httpLine += rest
          return []
        }
        httpLine += rest[..<end]
        rest = rest[(end + 1)...]
        if httpLine.last == UInt8(ascii: "\r") { httpLine.removeLast() }
        try readHTTP(String(decoding: httpLine, as: UTF8.self))
        httpLine = []
      }
    }
    return []
  }

  private mutating func readHTTP(_ text: String) throws {
    switch part {
    case .head where text.isEmpty: part = isChunked ? .chunkHead : .toTheEnd
    case .head where text.hasPrefix("HTTP/1.1 "):
      guard text.hasPrefix("HTTP/1.1 200") else { throw BenchError("the stream is refused: \(text)") }
    case .head: if text.lowercased() == "transfer-encoding: chunked" { isChunked = true }
    case .chunkHead:
      guard let length = Int(text.prefix { $0 != ";" }, radix: 16), length > 0 else {
        throw BenchError("the feed ended a stream: \(text)")
      }
      part = .chunk(left: length)
    case .chunkEnd: part = .chunkHead
    case .chunk, .toTheEnd: break
    }
  }

  /// Reads event lines. The number of a message comes from `id: <epoch>-<seq>`.
  private mutating func read(_ bytes: Slice<UnsafeRawBufferPointer>, _ onMessage: (UInt64, Int) -> Void) throws {
    var rest = bytes
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      if line.count < 128 { line += rest[..<(end ?? rest.endIndex)].prefix(128) }
      eventBytes += rest.distance(from: rest.startIndex, to: end.map { $0 + 1 } ?? rest.endIndex)
      guard let end else { return }
      rest = rest[(end + 1)...]
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      if line.isEmpty {
        if hasData { onMessage(number, eventBytes) }
        (eventBytes, hasData) = (0, false)
      } else if line.starts(with: "data".utf8) {
        hasData = true
      } else if line.starts(with: "id:".utf8) {
        guard let last = line.split(separator: UInt8(ascii: "-")).last,
          let seq = UInt64(String(decoding: last, as: UTF8.self))
        else { throw BenchError("an event id is malformed: \(String(decoding: line, as: UTF8.self))") }
        number = seq
      }
      line.removeAll(keepingCapacity: true)
    }
  }
}
