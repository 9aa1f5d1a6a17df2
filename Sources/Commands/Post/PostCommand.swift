import ArgumentParser
import Domain
import Foundation
import HTTPClient

struct PostCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "post", abstract: "Put yourself on the map, or take a post of yours off it.",
    discussion: """
      The password comes from ONTHEMAP_PASSWORD, from the file that
      ONTHEMAP_PASSWORD_FILE names, or is asked for. With --wait the exit status is
      75 when the post is accepted and its place not found yet: do not post it again.

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
  @Option(help: "Make the account first, under this name.")
  var signUp: String?
  // Whatever follows is the place: coordinates may begin with a minus.
  @Option(parsing: .unconditional, help: "Where you are, in your own words.")
  var place: String?
  @Option(help: "The link that people find with it.")
  var link: String?
  @Option(help: "Take the post with this id off the map for good, instead of making one.")
  var delete: String?
  @Flag(help: "Wait until the place is found, \(ToolLimits.postWaitSeconds) seconds at most, and say where it is.")
  var wait = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if let delete {
      guard place == nil, link == nil, signUp == nil, !wait else {
        throw ValidationError("--delete takes no --place, --link, --sign-up or --wait.")
      }
      _ = try PostID(argument: delete)
    } else if place == nil || link == nil {
      throw ValidationError("\(place == nil ? "--place" : "--link") is missing: a post has a place and a link.")
    }
  }

  func run() async throws {
    let settings = try await Settings(common)
    var api = API(try settings.server(flag: server))
    guard let user = settings.optional(.user, flag: user) else {
      throw SettingError("--user (ONTHEMAP_USER) is missing: the e-mail address of your account.")
    }
    let password = try readPassword(settings)
    do {
      api.token = try await session(api, user: user, password: password)
      if let delete { return try await remove(delete, api) }
      let answer = try await post(api)
      guard answer.status == 200 || answer.status == 202, let id = answer.members.id else {
        throw SettingError("Not posted: \(answer.problem).")
      }
      switch answer.members.state {
      case "published": printLine("\(id) is on the map: \(answer.members.label ?? "")")
      case "rejected", "dead":
        throw SettingError("\(id) is not on the map: \(answer.members.reason?.detail ?? answer.problem).")
      default:
        printLine("\(id) is accepted; your session sees what becomes of it at \(api.base)/v2/posts/\(id)")
        // EX_TEMPFAIL of sysexits.h: nothing is wrong, but it is not as far as was asked for.
        if wait { throw ExitCode(75) }
      }
    } catch let failure as FetchFailure {
      throw SettingError("\(api.base) cannot be reached: \(failure)")
    }
  }

  private func remove(_ id: String, _ api: API) async throws {
    let answer = try await api.send("DELETE", path: "/v2/posts/\(id)")
    guard answer.status == 204 else { throw SettingError("Not deleted: \(answer.problem).") }
    printLine("\(id) is off the map.")
  }

  /// Sends the post, and again where the server is not there or says that it failed: under one key, so that it is on
  /// the map once, also where only the answer was lost.
  private func post(_ api: API) async throws -> API.Response {
    var headers = ["Idempotency-Key": UUID().uuidString]
    if wait { headers["Prefer"] = "wait=\(ToolLimits.postWaitSeconds)" }
    let end = ContinuousClock.now + ToolLimits.postResend
    while true {
      let answer: Result<API.Response, any Error>
      do {
        answer = .success(
          try await api.send(
            "POST", path: "/v2/posts", headers: headers, json: ["place": place ?? "", "link": link ?? ""]))
      } catch { answer = .failure(error) }
      if case .success(let answer) = answer, answer.status < 500 { return answer }
      guard ContinuousClock.now < end else { return try answer.get() }
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
    let answer = try await api.send("POST", path: signUp == nil ? "/v2/session" : "/v2/accounts", json: credentials)
    guard let token = answer.members.token else {
      let remedy = signUp != nil && answer.status == 409 ? " without --sign-up" : ""
      throw SettingError("Not \(signUp == nil ? "logged in" : "signed up"): \(answer.problem)\(remedy).")
    }
    return token
  }

  private func readPassword(_ settings: Settings) throws -> String {
    if let password = try settings.password() { return password }
    guard isatty(STDIN_FILENO) == 1, let typed = getpass("Password: ") else {
      throw SettingError("The password is missing: set ONTHEMAP_PASSWORD or ONTHEMAP_PASSWORD_FILE.")
    }
    return String(cString: typed)
  }
}
