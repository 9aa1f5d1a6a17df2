import Domain
import Foundation
import NIOCore
import NIOHTTP1

/// The server's response to a post.
struct PostResponse {
  let head: HTTPResponseHead
  /// Body of a refusal. Empty for other responses.
  let body: ByteBuffer

  /// The consequence of a response.
  enum Outcome {
    case accepted(PostID)
    /// A temporary failure, with its kind for the report. Retry the same post later.
    case retry(String)
    /// A permanent refusal, with its kind for the report.
    case refused(String)
  }

  var outcome: Outcome {
    switch head.status.code {
    case 200..<300:
      // The header has the id, so the body needs no parsing.
      guard let path = head.headers.first(name: "Location"), let id = PostID(path.split(separator: "/").last ?? "")
      else { return .refused("\(head.status.code) without a Location") }
      return .accepted(id)
    case 429, 500...: return .retry("\(head.status.code) \(code)")
    default: return .refused("\(head.status.code) \(code)")
    }
  }

  /// The code of the problem (RFC 9457).
  private var code: String {
    let members = try? JSONDecoder().decode([String: JSONValue].self, from: Data(body.readableBytesView))
    let code = members?["code"]?.string ?? head.status.reasonPhrase
    return VisibleText(String(code.prefix(LoadLimits.codeCharactersMax))).replacingHidden { _ in "" }
  }
}
