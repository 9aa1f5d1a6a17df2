import ArgumentParser
import Domain
import Foundation
import HTTPClient

struct PostCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "post", abstract: "Create a post, or delete one of yours.",
    usage: "onthemap post [<options>]",
    discussion: """
      The password comes from ONTHEMAP_PASSWORD, from the file named by
      ONTHEMAP_PASSWORD_FILE, or from a prompt. With --wait, exit status 75 means
      that the post is accepted but not geocoded yet: do not post it again.

      Examples:
        onthemap post --user ada@example.org --place "Costa Rica" \\
          --link https://example.org/ada
        onthemap post --user new@example.org --sign-up "Grace Hopper" \\
          --place "Arlington, VA" --link example.org --wait
        onthemap post --user ada@example.org --delete 4D5ox566Xg
      """)

  @Option(.server)
  var server: String?
  @Option(.user)
  var user: String?
  @Option(help: "Name for a new account. Creates the account first.")
  var signUp: String?
  // The next argument is the place even if it begins with a minus, as coordinates may.
  @Option(parsing: .unconditional, help: "Place name or address.")
  var place: String?
  @Option(help: "URL shown with the post.")
  var link: String?
  @Option(help: "Id of a post to delete permanently.")
  var delete: String?
  @Flag(help: "Wait up to \(ToolLimits.postWaitSeconds) seconds for the result and print the place.")
  var wait = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if let delete {
      guard place == nil, link == nil, signUp == nil, !wait else {
        throw ValidationError("--delete cannot be combined with --place, --link, --sign-up or --wait.")
      }
      _ = try PostID(argument: delete)
    } else if place == nil || link == nil {
      throw ValidationError("\(place == nil ? "--place" : "--link") is missing. A post needs a place and a link.")
    }
  }

  func run() async throws {
    let settings = try await Settings(common)
    var api = API(try settings.server(flag: server))
    guard let user = settings.optional(.user, flag: user) else {
      throw SettingError("--user (ONTHEMAP_USER) is missing. Set it to the email address of your account.")
    }
    let password = try readPassword(settings)
    do {
      api.token = try await session(api, user: user, password: password)
      if let delete { return try await remove(delete, api) }
      let response = try await post(api)
      guard response.status == 200 || response.status == 202, let id = response.members.id else {
        throw SettingError("cannot create the post: \(response.problem).")
      }
      switch response.members.state {
      case "published": printLine("\(id) is on the map: \(response.members.label ?? "")")
      case "rejected", "dead":
        throw SettingError("\(id) is not on the map: \(response.members.reason?.detail ?? response.problem).")
      default:
        // Print the page's URL. The post's own URL needs a session until the post is published, and the page has one.
        let page = URL(string: "/#posts", relativeTo: api.base)?.absoluteString ?? "\(api.base)"
        printLine("\(id) is accepted. Its state is under My posts at \(page)")
        // EX_TEMPFAIL of sysexits.h: the post is accepted, but not yet on the map.
        if wait { throw ExitCode(75) }
      }
    } catch let failure as FetchFailure {
      throw SettingError("cannot reach \(api.base): \(failure)")
    }
  }

  private func remove(_ id: String, _ api: API) async throws {
    let response = try await api.send("DELETE", path: "/v2/posts/\(id)")
    guard response.status == 204 else { throw SettingError("cannot delete \(id): \(response.problem).") }
    printLine("\(id) is deleted.")
  }

  /// Sends the post, and resends it if the server is unreachable or fails. All attempts have the same idempotency key,
  /// so the server stores the post only once.
  private func post(_ api: API) async throws -> API.Response {
    var headers = ["Idempotency-Key": UUID().uuidString]
    if wait { headers["Prefer"] = "wait=\(ToolLimits.postWaitSeconds)" }
    let deadline = ContinuousClock.now + ToolLimits.postResend
    while true {
      let result: Result<API.Response, any Error>
      do {
        result = .success(
          try await api.send(
            "POST", path: "/v2/posts", headers: headers, json: ["place": place ?? "", "link": link ?? ""]))
      } catch { result = .failure(error) }
      if case .success(let response) = result, response.status < 500 { return response }
      guard ContinuousClock.now < deadline else { return try result.get() }
      try await Task.sleep(for: .milliseconds(Int.random(in: ToolLimits.postResendMs)))
    }
  }

  private func session(_ api: API, user: String, password: String) async throws -> String {
    var credentials = ["email": user, "password": password]
    if let signUp {
      let names = signUp.split(separator: " ", maxSplits: 1).map(String.init)
      credentials["firstName"] = names.first ?? ""
      credentials["lastName"] = names.count > 1 ? names[1] : ""
    }
    let response = try await api.send("POST", path: signUp == nil ? "/v2/session" : "/v2/accounts", json: credentials)
    guard let token = response.members.token else {
      let remedy = signUp != nil && response.status == 409 ? ". Run again without --sign-up" : ""
      throw SettingError("\(signUp == nil ? "login" : "sign-up") failed: \(response.problem)\(remedy).")
    }
    return token
  }

  private func readPassword(_ settings: Settings) throws -> String {
    if let password = try settings.password() { return password }
    guard isatty(STDIN_FILENO) == 1, let typed = getpass("Password: ") else {
      throw SettingError("no password. Set ONTHEMAP_PASSWORD or ONTHEMAP_PASSWORD_FILE.")
    }
    return String(cString: typed)
  }
}
