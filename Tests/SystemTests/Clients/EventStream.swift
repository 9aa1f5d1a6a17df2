import Foundation
import Testing

/// A client of Server-Sent Events on its own TCP connection. It parses the response's head, chunks and lines.
final class EventStream {
  struct Event: Sendable, Equatable {
    var name = ""
    var id: String?
    var data = ""
    var retry: Int?
    var comment: String?
  }

  /// The data of an event.
  private struct EventData: Decodable {
    let epoch: String
    let prevSeq: UInt64?
    let seq: UInt64
    let stateHash: String
    let entries: [FeedList.Entry]?
    let upsert: [FeedList.Entry]?
    let remove: [String]?
  }

  private let connection: Connection
  private(set) var status = 0
  /// The header fields by lower-case name.
  private(set) var headers: [String: String] = [:]
  /// Body bytes of an incomplete event, without chunk sizes.
  private var text: [UInt8] = []
  private var raw: [UInt8] = []
  /// True after the response's last chunk. A closed connection alone leaves it false.
  private(set) var isWhole = false
  /// All received events.
  private(set) var events: [Event] = []
  /// The list from the last snapshot and all later deltas.
  private(set) var list: FeedList?
  /// The staleness from the last `stale` event or snapshot.
  private(set) var isStale: Bool?
  private(set) var lastID: String?

  /// Requests the stream, and waits for the response's head.
  ///
  /// - Parameters:
  ///   - list: The client's previous list.
  ///   - receiveBuffer: As in `Connection`.
  init(
    _ client: Client, _ query: String = "", lastID: String? = nil, list: FeedList? = nil, headers: String = "",
    receiveBuffer: Int32? = nil
  ) async throws {
    connection = try Connection(port: client.port, receiveBuffer: receiveBuffer)
    self.list = list
    self.lastID = lastID
    let last = lastID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
    let request = "GET /v2/feed/stream\(query) HTTP/1.1\r\nHost: x\r\n\(last)\(headers)\r\n"
    try await connection.send(Array(request.utf8))
    let end = Array("\r\n\r\n".utf8)
    while raw.firstRange(of: end) == nil { try await receive(within: .seconds(120)) }
    let head = try #require(raw.firstRange(of: end))
    let lines = String(decoding: raw[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    status = Int(lines[0].split(separator: " ")[1]) ?? 0
    for line in lines.dropFirst() {
      let parts = line.components(separatedBy: ": ")
      self.headers[parts[0].lowercased()] = parts[1]
    }
    raw.removeSubrange(..<head.upperBound)
    try consume()
  }

  /// Reads until the condition is true.
  func read(
    until state: String, within limit: Duration = .seconds(120), _ condition: (EventStream) throws -> Bool
  ) async throws {
    let end = ContinuousClock.now + limit
    while try !condition(self) {
      guard ContinuousClock.now < end else {
        throw TimeoutError(description: "timed out after \(limit) before \(state)")
      }
      do { try await receive(within: .milliseconds(200)) } catch let error as TimeoutError where !isOver { _ = error }
    }
  }

  /// True if the connection has ended.
  private(set) var isOver = false

  private func receive(within limit: Duration) async throws {
    if isOver { throw TimeoutError(description: "the stream has ended") }
    let bytes = try await connection.some(within: limit)
    isOver = bytes.isEmpty
    raw += bytes
    if status != 0 { try consume() }
  }

  /// Consumes complete chunks and complete events.
  private func consume() throws {
    while let line = raw.firstRange(of: Array("\r\n".utf8)) {
      let size = try #require(Int(String(decoding: raw[..<line.lowerBound], as: UTF8.self), radix: 16))
      let end = line.upperBound + size + 2
      guard raw.count >= end else { break }
      text += raw[line.upperBound..<line.upperBound + size]
      raw.removeSubrange(..<end)
      isWhole = size == 0
    }
    while let end = text.firstRange(of: Array("\n\n".utf8)) {
      try parse(String(decoding: text[..<end.lowerBound], as: UTF8.self))
      text.removeSubrange(..<end.upperBound)
    }
  }

  private func parse(_ block: String) throws {
    var event = Event()
    for line in block.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let value = parts[1].hasPrefix(" ") ? String(parts[1].dropFirst()) : parts[1]
      switch parts[0] {
      case "": event.comment = value
      case "event": event.name = value
      case "id": event.id = value
      case "data": event.data += value
      case "retry": event.retry = Int(value)
      default: Issue.record("unknown field: \(line)")
      }
    }
    events.append(event)
    if let id = event.id { lastID = id }
    guard !event.data.isEmpty else { return }
    let object = try #require(try JSONSerialization.jsonObject(with: Data(event.data.utf8)) as? [String: Any])
    if event.name != "delta" { isStale = object["stale"] as? Bool }
    if event.name != "stale" { try apply(event) }
  }

  private func apply(_ event: Event) throws {
    let data = try JSONDecoder().decode(EventData.self, from: Data(event.data.utf8))
    #expect(event.id == "\(data.epoch)-\(data.seq)")
    if event.name == "snapshot" {
      list = FeedList(epoch: data.epoch, seq: data.seq, stateHash: "", entries: try #require(data.entries))
    } else {
      #expect(
        event.name == "delta" && data.epoch == list?.epoch && data.prevSeq == list?.seq && data.seq > list?.seq ?? 0)
      let (upsert, remove) = (try #require(data.upsert), try #require(data.remove))
      let had = Set(list?.entries.map(\.id) ?? [])
      #expect(remove.allSatisfy(had.contains), "A removed entry must be on the list.")
      list?.apply(upsert: upsert, remove: remove, seq: data.seq)
    }
    list?.stateHash = data.stateHash
    #expect(list?.computedHash == data.stateHash, "\(event.name) \(data.seq)")
  }
}
