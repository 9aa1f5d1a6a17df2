import Foundation
import Testing
import Web

@testable import Ingest

@Suite("The address of a pin", .bothFronts)
struct PinAddressTests {
  /// Returns the content of a tag, as the document writes it.
  private func tag(_ name: String, _ page: APIResponse) -> String? {
    page.text.matches(of: /<meta (?:property|name)="([^"]*)" content="([^"]*)">/)
      .first { $0.1 == name }.map { String($0.2) }
  }

  private func title(_ page: APIResponse) -> String? {
    page.text.firstMatch(of: /<title>([^<]*)<\/title>/).map { String($0.1) }
  }

  @Test("The page has the name and the place of the pin in its title and its tags, whatever the client accepts")
  func tags() async throws {
    let map = try IngestFixture()
    let id = try #require(try await map.client.signedUp().post("Oslo", wait: 30)["id"])
    for accept in ["*/*", "text/html", "application/json"] {
      let page = try await map.client.get("/pin/\(id)", headers: ["Accept": accept])
      #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
      #expect(title(page) == "Ada Lovelace: Oslo · On The Map")
      #expect(tag("og:title", page) == "Ada Lovelace: Oslo")
      #expect(tag("og:url", page) == "\(Client.base)/pin/\(id)" && tag("og:site_name", page) == "On The Map")
      #expect(page.headers["cache-control"] == "no-cache" && page.headers["content-security-policy"] != nil)
    }
    let german = try await map.client.get("/pin/\(id)", headers: ["Accept-Language": "de"])
    for name in ["description", "og:description"] {
      #expect(tag(name, german)?.wholeMatch(of: /Oslo, Norway · \d{1,2}\. \p{L}+ \d{4}/) != nil, "\(german.text)")
    }
    #expect(tag("og:locale", german) == "de_DE")
    let main = try await map.client.get("/", headers: ["Accept": "text/html"])
    #expect(title(main) == "On The Map" && tag("og:title", main) == "On The Map")
    #expect(tag("og:description", main)?.contains("map") == true && tag("twitter:card", main) == "summary")
    // The document is the same at each of the map's addresses.
    #expect(tag("og:url", main) == nil)
  }

  /// Returns the page of a pin in Oslo whose owner has this name.
  private func pin(of firstName: String, _ lastName: String) async throws -> APIResponse {
    let map = try IngestFixture()
    let client = try await map.client.signedUp()
    let name = JSON.object(["firstName": firstName, "lastName": lastName])
    #expect(try await client.send("PATCH", "/v2/account", body: name).status == 200)
    let id = try #require(try await client.post("Oslo", wait: 30)["id"])
    return try await map.client.get("/pin/\(id)")
  }

  @Test("A member with the name of the page still has a name in the title")
  func namesake() async throws {
    #expect(title(try await pin(of: "On The", "Map")) == "On The Map: Oslo · On The Map")
  }

  @Test("Every language of the page has a locale in its tags", arguments: ["en", "de", "es", "fr", "pt"])
  func locales(language: String) async throws {
    let page = try await IngestFixture().client.get("/table", headers: ["Accept-Language": language])
    #expect(page.headers["content-language"] == language)
    #expect(tag("og:locale", page)?.hasPrefix("\(language)_") == true)
  }

  @Test("The tags have the configured origin, and no host that is not a plain name")
  func origin() async throws {
    let map = try IngestFixture { $0.origin = "https://map.example.org" }
    let id = try #require(try await map.client.signedUp().post("Oslo", wait: 30)["id"])
    #expect(tag("og:url", try await map.client.get("/pin/\(id)")) == "https://map.example.org/pin/\(id)")
    let open = try IngestFixture()
    let pin = try #require(try await open.client.signedUp().post("Oslo", wait: 30)["id"])
    let strange = try await open.client.get("/pin/\(pin)", headers: ["Host": "a\"b"])
    #expect(title(strange) == "Ada Lovelace: Oslo · On The Map" && tag("og:url", strange) == nil)
  }

  @Test("Names and places are text in the title and the tags")
  func hostile() async throws {
    let page = try await pin(of: "</title><script>", "\"'&{place}")
    let escaped = "&lt;/title&gt;&lt;script&gt; &quot;&#39;&amp;{place}: Oslo"
    #expect(title(page) == "\(escaped) · On The Map" && tag("og:title", page) == escaped)
    #expect(!page.text.contains("<script>"))
  }

  @Test("A deleted, unknown or unpublished pin is not found, and the page shows no name")
  func missing() async throws {
    let map = try IngestFixture(workers: 0)
    let client = try await map.client.signedUp()
    let queued = try #require(try await client.post("Oslo")["id"])
    for id in [queued, "0123456789", "%3Cb%3E"] {
      let page = try await client.get("/pin/\(id)")
      #expect(page.status == 404 && page.headers["content-type"] == "text/html; charset=utf-8", "\(id)")
      #expect(title(page) == "On The Map" && page.text.contains("id=\"view-map\""), "\(id)")
    }
    try map.addWorker()
    try await map.settle(queued)
    #expect(try await map.client.get("/pin/\(queued)").status == 200)
    #expect(try await client.delete(queued).status == 204)
    #expect(try await map.client.get("/pin/\(queued)").status == 404)
    #expect(try await map.client.send("POST", "/pin/\(queued)").status == 405)
  }

  @Test("A members-only map shows a pin's name to members, and to strangers not even that the pin exists")
  func membersOnly() async throws {
    let map = try IngestFixture { $0.page.mapAccess = .members(nil) }
    let client = try await map.client.signedUp()
    let id = try #require(try await client.post("Oslo", wait: 30)["id"])
    for id in [id, "0123456789"] {
      let page = try await map.client.get("/pin/\(id)")
      #expect(page.status == 200 && title(page) == "On The Map")
    }
    #expect(title(try await client.get("/pin/\(id)"))?.hasPrefix("Ada Lovelace: Oslo") == true)
  }
}
