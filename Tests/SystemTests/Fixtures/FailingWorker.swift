import Foundation
import Synchronization

/// A worker written from proto/README.md alone, with ZMTP and protobuf by hand. It reports a permanent failure
/// for every job, or ends at its deadly job.
final class FailingWorker: Sendable {
  /// The end of the worker by its deadly job.
  struct Killed: Error {}

  private let connection: Connection
  private let completed = Atomic(0)

  /// The number of jobs with a result.
  var count: Int { completed.load(ordering: .relaxed) }

  private let deadly: String?
  private let instance: [UInt8]

  /// Connects to a job link of this host.
  ///
  /// - Parameter deadly: The place that ends the worker.
  init(port: UInt16, deadly: String? = nil) throws {
    connection = try Connection(port: port)
    self.deadly = deadly
    instance = (0..<16).map { _ in .random(in: 0...255) }
  }

  /// Works until it is cancelled or ingest closes the connection.
  func run() async throws {
    let greeting: [UInt8] =
      [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + Array("NULL".utf8) + [UInt8](repeating: 0, count: 48)
    try await connection.send(greeting)
    _ = try await connection.bytes(64)
    try await connection.send(command("READY", [11] + Array("Socket-Type".utf8) + [0, 0, 0, 6] + Array("DEALER".utf8)))
    let hello: [Field] = [
      .number(1, 1), .number(2, 1), .bytes(3, Array("failing".utf8)), .bytes(4, instance),
    ]
    try await send(.bytes(16, hello.flatMap(\.encoded)), session: 0)
    var session: UInt64 = 0
    var received: UInt64 = 0
    var lastHeartbeat = ContinuousClock.now
    while !Task.isCancelled {
      if session != 0, ContinuousClock.now - lastHeartbeat > .seconds(1) {
        lastHeartbeat = .now
        try await send(.bytes(20, Field.number(1, received + 64).encoded), session: session)
      }
      guard let (isCommand, body) = try await frame() else { continue }
      guard !isCommand else {
        // The reply to a ZMTP PING repeats its context.
        if body.starts(with: [4] + Array("PING".utf8)) {
          try await connection.send(command("PONG", Array(body.dropFirst(7))))
        }
        continue
      }
      let fields = Field.read(body)
      if case .fixed(_, let number)? = fields.first(where: { $0.number == 4 }) { session = number }
      if fields.contains(where: { $0.number == 16 }) {
        try await send(.bytes(17, Field.number(1, 64).encoded), session: session)
      }
      for case .bytes(17, let jobs) in fields {
        for case .bytes(1, let job) in Field.read(jobs) {
          received += 1
          if let deadly, case .bytes(_, let place)? = Field.read(job).first(where: { $0.number == 5 }),
            place == Array(deadly.utf8)
          {
            throw Killed()
          }
          let lease = Field.read(job).filter { $0.number <= 2 }
          let failure: [Field] = [
            .number(1, 2), .bytes(2, Array("bad_place".utf8)), .bytes(3, Array("this worker likes no place".utf8)),
          ]
          let result = lease.flatMap(\.encoded) + Field.bytes(10, failure.flatMap(\.encoded)).encoded
          try await send(.bytes(18, Field.bytes(1, result).encoded), session: session)
          completed.add(1, ordering: .relaxed)
        }
      }
    }
  }

  private func send(_ body: Field, session: UInt64) async throws {
    let fields: [Field] = [.fixed32(1, 0x314D_544F), .number(2, 1), .fixed(4, session), body]
    let frame = fields.flatMap(\.encoded)
    try await connection.send([2] + withUnsafeBytes(of: UInt64(frame.count).bigEndian, Array.init) + frame)
  }

  private func command(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let content = [UInt8(name.utf8.count)] + Array(name.utf8) + body
    return [4, UInt8(content.count)] + content
  }

  /// Receives the next frame. Nil if none comes within 200 ms.
  private func frame() async throws -> (isCommand: Bool, body: [UInt8])? {
    guard let flags = try await connection.bytes(1, within: .milliseconds(200)).first else { return nil }
    let length = try await connection.bytes(flags & 2 == 0 ? 1 : 8).reduce(0) { $0 << 8 | Int($1) }
    return (flags & 4 != 0, length == 0 ? [] : try await connection.bytes(length))
  }
}

/// A field of a protobuf message.
private enum Field {
  case number(Int, UInt64)
  case fixed(Int, UInt64)
  case fixed32(Int, UInt32)
  case bytes(Int, [UInt8])

  var number: Int {
    switch self {
    case .number(let number, _), .fixed(let number, _), .fixed32(let number, _), .bytes(let number, _): number
    }
  }

  var encoded: [UInt8] {
    switch self {
    case .number(let number, let value): Field.varint(UInt64(number) << 3) + Field.varint(value)
    case .fixed(let number, let value):
      Field.varint(UInt64(number) << 3 | 1) + withUnsafeBytes(of: value.littleEndian, Array.init)
    case .fixed32(let number, let value):
      Field.varint(UInt64(number) << 3 | 5) + withUnsafeBytes(of: value.littleEndian, Array.init)
    case .bytes(let number, let value):
      Field.varint(UInt64(number) << 3 | 2) + Field.varint(UInt64(value.count)) + value
    }
  }

  static func read(_ message: [UInt8]) -> [Field] {
    var fields: [Field] = []
    var rest = message[...]
    func varint() -> UInt64 {
      var (value, shift): (UInt64, UInt64) = (0, 0)
      while let byte = rest.popFirst() {
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { break }
        shift += 7
      }
      return value
    }
    func take(_ count: Int) -> [UInt8] {
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    while !rest.isEmpty {
      let tag = varint()
      let number = Int(tag >> 3)
      switch tag & 7 {
      case 0: fields.append(.number(number, varint()))
      case 1: fields.append(.fixed(number, take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }))
      case 5: fields.append(.fixed32(number, take(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }))
      default: fields.append(.bytes(number, take(Int(varint()))))
      }
    }
    return fields
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var (rest, bytes): (UInt64, [UInt8]) = (value, [])
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
