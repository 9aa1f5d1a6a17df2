import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore

/// The baseline for HTTP: a Hummingbird handler that only decodes and encodes the same JSON.
struct BareServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "bare", abstract: "Serve the baseline for HTTP.")

  private struct Post: Decodable {
    let place: String
    let link: String
    let latitude: Double?
    let longitude: Double?
  }

  private struct Accepted: ResponseEncodable {
    let id: String
    let state: String
    let place: String
    let link: String
    let createdAt: String
  }

  @Option(help: "File that GET /v2/feed returns.")
  var document: String?

  func run() async throws {
    let router = Router()
    if let document {
      let body = ByteBuffer(bytes: try Data(contentsOf: URL(fileURLWithPath: document)))
      router.get("/v2/feed") { _, _ in
        Response(status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
      }
    }
    router.post("/v2/posts") { request, context in
      let post = try await request.decode(as: Post.self, context: context)
      return EditedResponse(
        status: .accepted,
        response: Accepted(
          id: "0123456789", state: "queued", place: post.place, link: post.link,
          createdAt: "2026-11-21T20:59:03.123Z"))
    }
    var logger = Logger(label: "bare")
    logger.logLevel = .error
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        let line = "ready port=\(channel.localAddress?.port ?? 0)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      }, logger: logger)
    try await application.run()
  }

  /// Measures GETs of a document.
  static func measure(document: URL, folder: URL, connections: Int, seconds: Int) throws -> HTTPLoad {
    let server = try Program(
      Bundle.main.executablePath ?? "", ["bare", "--document", document.path],
      log: folder.appendingPathComponent("bare.log"))
    return try HTTPLoad.run(
      url: "http://127.0.0.1:\(server.ready["port"] ?? "")/v2/feed", body: nil, token: nil, connections: connections,
      seconds: seconds, folder: folder)
  }

  static func measure(folder: URL, connections: Int, seconds: Int) async throws -> HTTPLoad {
    let server = try Program(
      Bundle.main.executablePath ?? "", ["bare"], log: folder.appendingPathComponent("bare.log"))
    return try HTTPLoad.run(
      url: "http://127.0.0.1:\(server.ready["port"] ?? "")/v2/posts",
      body: #"{"place":"Seattle, WA","link":"https://example.org/me"}"#, token: nil, connections: connections,
      seconds: seconds, folder: folder)
  }
}
