import Foundation
import SwiftProtobuf
import Testing

/// Tests of the frames under proto/golden, against which other implementations test themselves. After a change of the
/// protocol, or to add a frame, `GOLDEN=rewrite` writes the files again.
@Suite("Golden frames")
struct GoldenFrameTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "proto/golden")

  private static func file(_ frame: GoldenFrame, _ ending: String) -> URL {
    folder.appending(path: "\(frame.name).\(ending)")
  }

  @Test("Our code encodes exactly the golden bytes, and decodes their values", arguments: GoldenFrame.all)
  func bytes(_ frame: GoldenFrame) throws {
    if ProcessInfo.processInfo.environment["GOLDEN"] == "rewrite" { try rewrite(frame) }
    let text = try String(contentsOf: Self.file(frame, "hex"), encoding: .utf8)
    let bytes = try #require(Self.bytes(text))
    #expect(bytes == frame.bytes)
    #expect(frame.isRead(bytes))
  }

  @Test("The JSON of a golden frame equals its bytes", arguments: GoldenFrame.all)
  func json(_ frame: GoldenFrame) throws {
    let text = try String(contentsOf: Self.file(frame, "json"), encoding: .utf8)
    let message = try frame.type.init(jsonString: text)
    #expect(try message.isEqualTo(message: frame.type.init(serializedBytes: frame.bytes)))
  }

  @Test("The folder of golden frames has exactly the files of the golden frames")
  func noOthers() {
    let names = FileManager.default.enumerator(atPath: Self.folder.path)?.compactMap { $0 as? String } ?? []
    let expected = GoldenFrame.all.flatMap { ["\($0.name).hex", "\($0.name).json"] }
    #expect(names.filter { $0.contains(".hex") || $0.contains(".json") }.sorted() == expected.sorted())
  }

  @Test("Each body of each message has a golden frame")
  func complete() {
    let names = Set(GoldenFrame.all.compactMap { $0.name.split(separator: "/").last.map(String.init) })
    let bodies = [
      "FeedFrame.snapshot", "FeedFrame.delta", "FeedFrame.heartbeat", "FeedFrame.bye", "FeedRequest.get_snapshot",
      "FeedRequest.get_changes", "FeedReply.snapshot", "FeedReply.delta", "FeedReply.not_modified", "FeedReply.error",
      "FetchReply.changes", "FetchReply.snapshot", "FetchReply.error", "WorkerFrame.hello", "WorkerFrame.credit",
      "WorkerFrame.results", "WorkerFrame.release", "WorkerFrame.heartbeat", "IngestFrame.welcome", "IngestFrame.jobs",
      "IngestFrame.acks", "IngestFrame.heartbeat", "IngestFrame.reset", "IngestFrame.error", "IngestFrame.drain",
      "SubmitRequest.batch", "SubmitRequest.query", "SubmitReply.receipts", "SubmitReply.statuses", "SubmitReply.error",
      "GatewayFrame.hello", "GatewayFrame.posts", "GatewayFrame.request", "GatewayFrame.cancel",
      "GatewayFrame.end_wait",
      "GatewayFrame.password_hash", "GatewayReply.hash_password",
      "GatewayReply.welcome", "GatewayReply.results", "GatewayReply.response", "GatewayReply.not_executed",
      "GatewayReply.error", "AdminRequest.status", "AdminRequest.list", "AdminRequest.show", "AdminRequest.retry",
      "AdminRequest.discard",
      "AdminRequest.pause", "AdminRequest.resume", "AdminRequest.users", "AdminRequest.add_user",
      "AdminRequest.set_user", "AdminReply.status", "AdminReply.list", "AdminReply.report", "AdminReply.changed",
      "AdminReply.pause", "AdminReply.error", "AdminReply.users", "AdminReply.user",
      "AdminRequest.back_up", "AdminRequest.backup_state", "AdminReply.backup",
    ]
    #expect(Set(bodies).subtracting(names).isEmpty)
  }

  /// Decodes hexadecimal digits with line ends between them. Nil for any other text.
  private static func bytes(_ text: String) -> [UInt8]? {
    let digits = text.filter { !$0.isNewline }.compactMap(\.hexDigitValue)
    guard digits.count == text.filter({ !$0.isNewline }).count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  private func rewrite(_ frame: GoldenFrame) throws {
    let (hex, json) = (Self.file(frame, "hex"), Self.file(frame, "json"))
    try FileManager.default.createDirectory(at: hex.deletingLastPathComponent(), withIntermediateDirectories: true)
    let lines = stride(from: 0, to: frame.bytes.count, by: 32).map { start in
      frame.bytes[start..<min(start + 32, frame.bytes.count)].map { String(format: "%02x", $0) }.joined()
    }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: hex)
    let message = try frame.type.init(serializedBytes: frame.bytes)
    let object = try JSONSerialization.jsonObject(with: message.jsonUTF8Data())
    let form: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (JSONSerialization.data(withJSONObject: object, options: form) + Data("\n".utf8)).write(to: json)
  }
}
