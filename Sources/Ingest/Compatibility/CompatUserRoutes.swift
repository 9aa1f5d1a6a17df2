import Domain
import HTTPTypes
import Hummingbird
import Store
import Web

/// Routes of `/v1/users/ID` and `/api/users/ID`, which show an account to clients of the original service.
struct CompatUserRoutes: Sendable {
  let database: any AccountStore
  let sessions: Sessions
  let site: Site

  func add(to router: Router<ConnectionContext>) {
    for path in ["/v1/users/{id}", "/api/users/{id}"] as [RouterPath] {
      router.get(path) { request, context in try await show(context.parameters.get("id") ?? "", request) }
      router.respondMethodNotAllowed(at: path, allow: .get)
    }
  }

  /// Returns an account. An account without a post on the map is visible only to its owner, because only the map
  /// publishes names.
  private func show(_ id: String, _ request: Request) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    let own = "\(caller.account.id.rawValue)"
    let account: Account?
    let key: String
    switch id {
    case own, "me": (account, key) = (caller.account, own)
    case caller.session.compatID: (account, key) = (caller.account, id)
    default: (account, key) = (try await accountOnMap(id), id)
    }
    guard let account else { throw Problem(.notFound, "user_not_found", "there is no user with this key") }
    let email = account.id == caller.account.id ? account.email : nil
    return CompatResponseFormat.guarded.response(
      .object { json in
        // Clients since 2019 read the top level, and older ones read "user".
        account.writeCompat(to: &json, key: key, email: email)
        json.object("user") { account.writeCompat(to: &$0, key: key, email: email) }
      })
  }

  private func accountOnMap(_ id: String) async throws -> Account? {
    guard let number = Int64(id), "\(number)" == id else { return nil }
    return try await database.accountOnMap(AccountID(rawValue: number))
  }
}

extension Account {
  /// Writes all 39 fields of the original service, because some clients require each with its type.
  ///
  /// - Parameter email: The owner's email address. Nil for other callers, who get an address that leads nowhere.
  fileprivate func writeCompat(to json: inout JSONWriter, key: String, email: String?) {
    json.add("key", key)
    json.add("first_name", firstName)
    json.add("last_name", lastName)
    json.add("nickname", firstName)
    json.add("_image_url", "https://robohash.org/udacity-\(id.rawValue)")
    json.object("email") { json in
      json.add("address", email ?? "user-\(id.rawValue)@users.invalid")
      json.add("_verified", false)
      json.add("_verification_code_sent", false)
    }
    json.add("_registered", true)
    json.add("_has_password", true)
    json.add("employer_sharing", false)
    json.object("guard") { _ in }
    for name in Account.arrayFields { json.add(name, [] as [String]) }
    for name in Account.nullFields { json.addNull(name) }
  }

  private static let arrayFields = [
    "social_accounts", "_cohort_keys", "_badges", "_principals", "_enrollments", "external_accounts", "tags",
    "_affiliate_profiles", "_memberships",
  ]
  private static let nullFields = [
    "website_url", "linkedin_url", "bio", "location", "occupation", "timezone", "languages", "jabber_id",
    "mailing_address", "external_service_password", "signature", "_stripe_customer_id", "_facebook_id", "_google_id",
    "zendesk_id", "_image", "_resume", "site_preferences", "coaching_data", "email_preferences",
  ]
}
