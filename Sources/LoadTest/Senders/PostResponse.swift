import Domain
import Foundation
import NIOCore
import NIOHTTP1

/// What the server said to a post.
struct PostResponse {
  let head: HTTPResponseHead
  /// Kept of refusals only.
  let body: ByteBuffer

  /// What follows from it.
  enum Outcome {
    case accepted(PostID)
    /// Not now: the same again later. The kind is for people.
    case retry(String)
    /// Never. The kind is for people.
    case refused(String)
  }

  var outcome: Outcome {
    switch head.status.code {
    case 200..<300:
      // The header, since nothing has to be parsed for it.
      guard let path = head.headers.first(name: "Location"), let id = PostID(path.split(separator: "/").last ?? "")
      else { return .refused("\(head.status.code) without the post's Location") }
      return .accepted(id)
    case 429, 500...: return .retry("\(head.status.code) \(code)")
    default: return .refused("\(head.status.code) \(code)")
    }
  }

  /// The problem's code, RFC 9457.
  private var code: String {
    let members = try? JSONDecoder().decode([String: JSONValue].self, from: Data(body.readableBytesView))
    let code = members?["code"]?.string ?? head.status.reasonPhrase
    return VisibleText(String(code.prefix(LoadLimits.codeCharactersMax))).replacingHidden { _ in "" }
  }
}
