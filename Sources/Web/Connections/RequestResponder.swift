import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Responder to the requests of a server's connections: a router's response with the header Date. Any thread.
struct RequestResponder: Sendable {
  /// Error for a client whose malformed bytes arrive while its response is written. A second response would follow the
  /// first one otherwise.
  private struct ResponseInterrupted: Error {}

  private let router: RouterResponder<ConnectionContext>
  private let logger: Logger
  private let date = HTTPDate()

  init(_ router: RouterResponder<ConnectionContext>, logger: Logger) {
    self.router = router
    self.logger = logger
  }

  @concurrent
  func respond(to request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
    let context = ConnectionContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
    var response: Response
    do { response = try await router.respond(to: request, context: context) } catch let error as HTTPParserError {
      throw error
    } catch {
      // `ProblemMiddleware` turns all other errors into responses.
      response = Response(status: .internalServerError)
    }
    response.headers[.date] = date.text
    do { try await writer.write(response: response.head, body: response.body) } catch is HTTPParserError {
      throw ResponseInterrupted()
    }
  }
}
