import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import Ingest
@testable import OnTheMap
@testable import Store
@testable import Web

@Suite("Answers to searches that could not be made")
struct ScanAnswerTests {
  @Test(
    "Each API says that there is no room, or no time, and when to come again",
    arguments: [
      (StoreError.tooManyScans, "too_many_searches", "155"), (StoreError.scanEnded, "search_timeout", "124"),
    ])
  func problems(error: StoreError, code: String, number: String) throws {
    let problem = try #require(Problem.of(error))
    #expect(problem.status == .serviceUnavailable && problem.code == code)
    #expect(problem.retryAfterSeconds == 2)
    for path in ClassicForm.lists {
      let body = String(buffer: try #require(ClassicForm.body(of: problem, at: path)))
      #expect(body.contains("\"code\":\(number)"), "\(body)")
    }
  }

  @Test("A search learns that its connection is gone")
  func gone() async throws {
    let request = Request(
      head: HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/v2/posts"),
      body: .init(buffer: ByteBuffer()))
    let channel = EmbeddedChannel()
    let context = ConnectionContext(
      source: ApplicationRequestContextSource(
        channel: channel, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    let client = ScanClient(request, context, Site(origin: "", proxies: TrustedProxies(), partners: []))
    await confirmation { gone in
      client.whenGone { gone() }
      channel.embeddedEventLoop.run()
    }
  }
}
