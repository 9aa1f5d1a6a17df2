import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import Web

/// The original service's response format at a path. Its rules are those on which clients depend. The article
/// CompatibilityAPI lists the rules by number.
enum CompatResponseFormat {
  /// Format of sessions and users. Five bytes precede the JSON. Clients cut these bytes off without a check.
  case guarded
  /// Format of posts, which are called student locations: plain JSON.
  case plain

  static let sessions = ["/v1/session", "/api/session"]
  private static let guardedPaths = sessions + ["/v1/users", "/api/users"]
  static let lists = ["/v1/StudentLocation", "/parse/classes/StudentLocation", "/1/classes/StudentLocation"]
  /// Paths of all other classes, which some apps request.
  static let otherClasses = ["/parse/classes/{class}", "/1/classes/{class}"]
  private static let plainPaths = ["/v1/StudentLocation", "/parse/classes", "/1/classes"]

  /// Selects the format of a path. Returns nil for a path that is not the original service's.
  init?(path: String) {
    // The router treats several slashes as one.
    let path = "/" + path.split(separator: "/").joined(separator: "/")
    // Cover longer paths too, because the client of an unknown path reads the error like any response.
    func covers(_ base: String) -> Bool { path == base || path.hasPrefix(base + "/") }
    if CompatResponseFormat.guardedPaths.contains(where: covers) {
      self = .guarded
    } else if CompatResponseFormat.plainPaths.contains(where: covers) {
      self = .plain
    } else {
      return nil
    }
  }

  /// Returns the body of an error in the original service's format. Nil for a path that is not the original service's.
  static func body(of problem: Problem, at path: String) -> ByteBuffer? {
    guard let format = CompatResponseFormat(path: path) else { return nil }
    return format.body(format.error(problem))
  }

  func response(_ json: JSONWriter, status: HTTPResponse.Status = .ok) -> Response {
    Response(json: body(json), status: status)
  }

  private func body(_ json: JSONWriter) -> ByteBuffer {
    var body = ByteBuffer()
    if self == .guarded { body.writeBytes(CompatResponseFormat.prefix) }
    body.writeBytes(json.bytes)
    return body
  }

  /// A guard against scripts of other sites, which could otherwise load the JSON as a program.
  private static let prefix = Array(")]}'\n".utf8)

  /// Returns an error with its HTTP status and Parse's code, because some clients decode all errors as one type.
  /// Clients show the text unchanged.
  private func error(_ problem: Problem) -> JSONWriter {
    .object { json in
      json.add("status", problem.status.code)
      json.add("code", CompatResponseFormat.code(problem))
      if self == .guarded, let field = problem.field, problem.code == "classic_parameter" {
        json.add("parameter", field)
      }
      json.add("error", CompatResponseFormat.text(problem))
    }
  }

  /// Returns Parse's error code. (Parse, REST API guide, "Error codes".)
  private static func code(_ problem: Problem) -> Int {
    if problem.code.hasPrefix("parse_"), let code = Int(problem.code.dropFirst("parse_".count)) { return code }
    switch problem.code {
    case "session_required": return 209
    case "post_not_found", "not_found", "bad_credentials", "user_not_found": return 101
    case "invalid_json", "classic_json": return 107
    case "busy", "too_many_posts", "too_many_connections", "too_many_logins", "too_many_searches":
      return 155
    case "request_timeout", "search_timeout": return 124
    case "body_too_large": return 116
    case "cross_site", "method_not_allowed", "email_unconfirmed": return 119
    default: return problem.status.kind == .serverError ? 1 : 142
    }
  }

  private static func text(_ problem: Problem) -> String {
    switch problem.code {
    case "bad_credentials": "Account not found or invalid credentials."
    case "session_required": "You are not logged in, or your session has ended: log in first."
    case "post_not_found": "Object not found."
    case "invalid_json": "The app sent something that is not valid JSON."
    default: problem.sentence
    }
  }
}

extension Problem {
  /// Creates an error of the original service, by Parse's number.
  static func parse(_ code: Int, _ text: String) -> Problem { Problem(.badRequest, "parse_\(code)", text) }

  /// The problem's text as a sentence, because clients show it to people unchanged. Texts of the original service
  /// remain as they are.
  fileprivate var sentence: String {
    guard let first = detail.first, first.isLowercase, !code.hasPrefix("classic_"), code != "parse_111" else {
      return detail
    }
    let text = field.map { detail.hasPrefix($0) } == true ? detail : first.uppercased() + detail.dropFirst()
    return text.hasSuffix(".") ? text : text + "."
  }
}
