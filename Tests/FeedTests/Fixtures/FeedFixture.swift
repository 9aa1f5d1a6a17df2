import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging

@testable import Feed
@testable import Messaging
@testable import Web

/// A feed's routes in the test's process, without a server: the real router, and a list that the test changes.
struct FeedFixture: Sendable {
  let latest = CurrentList.sample()
  private let application: Application<RouterResponder<ConnectionContext>>

  init() throws {
    application = Application(
      responder: try Self.router(latest).buildResponder(),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Returns all routes of a feed that shows this list.
  static func router(_ latest: CurrentList) throws -> Router<ConnectionContext> {
    let nowhere = try Endpoint("tcp://127.0.0.1:1")
    let service = FeedService(
      FeedConfiguration(ingest: [nowhere], publish: nowhere, query: nowhere, host: "", port: 0),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, ready: { _ in })
    return service.routes(latest, SSEBroadcaster(latest, capacity: 1))
  }

  /// Sends a request without a body. Returns the router's response, without decompression.
  func send(_ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:]) async throws -> TestResponse {
    try await application.test(.router) { client in
      try await client.execute(uri: path, method: method, headers: headers)
    }
  }
}
