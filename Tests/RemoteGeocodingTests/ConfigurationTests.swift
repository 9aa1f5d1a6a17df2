import Testing

@testable import RemoteGeocoding

@Suite("Provider configuration")
struct ConfigurationTests {
  private func fault(
    _ url: String, provider: Provider = .nominatim, contact: String = "", key: String = ""
  ) -> RemoteConfiguration.ConfigurationError? {
    do {
      _ = try RemoteConfiguration(provider: provider, url: url, contact: contact, key: key)
      return nil
    } catch { return error }
  }

  @Test(
    "An https URL may name any host, and an http URL only this host",
    arguments: [
      "https://geo.example.org", "https://geo.example.org/", "https://geo.example.org:8443/nominatim",
      "http://127.0.0.1:8088", "http://localhost/x", "http://[::1]:8088", "http://127.8.9.10",
    ])
  func urls(url: String) { #expect(fault(url) == nil) }

  @Test(
    "Malformed and insecure provider URLs are refused",
    arguments: [
      "", "geo.example.org", "http://geo.example.org", "ftp://geo.example.org", "https://", "https://u:p@example.org",
      "https://example.org/?a=b", "https://example.org/#a", "https://example.org/a b", "http://127.0.0.1.example.org",
      "http://localhost.example.org", "http://10.0.0.1", "file:///etc/passwd",
    ])
  func refusedURLs(url: String) { #expect(fault(url) == .url) }

  @Test("The public Nominatim needs a contact, in any spelling of its host")
  func contactMissing() throws {
    for host in ["nominatim.openstreetmap.org", "NOMINATIM.OpenStreetMap.org", "nominatim.openstreetmap.org."] {
      #expect(fault("https://\(host)") == .contactMissing, "\(host)")
      let own = try RemoteConfiguration(provider: .nominatim, url: "https://\(host)", contact: "ops@example.org")
      #expect(own.isPublic && own.userAgent == "onthemap/1.0 (ops@example.org)")
    }
    #expect(try RemoteConfiguration(provider: .photon, url: "https://photon.komoot.io").isPublic)
    let own = try RemoteConfiguration(provider: .nominatim, url: "https://geo.example.org")
    #expect(!own.isPublic && own.userAgent == "onthemap/1.0")
  }

  @Test("A contact is an email address or a link, and cannot inject a header")
  func contacts() {
    for contact in ["a@example.org", "https://example.org/contact", "http://example.org"] {
      #expect(fault("https://x.org", contact: contact) == nil, "\(contact)")
    }
    for contact in ["me", "a@b\r\nX: y", "a b@c.org", "a@b (c)", "ü@x.org", "@x.org"] {
      #expect(fault("https://x.org", contact: contact) == .contact, "\(contact)")
    }
    let longest = RemoteLimits.contactBytesMax - "@x.org".utf8.count
    #expect(fault("https://x.org", contact: String(repeating: "a", count: longest) + "@x.org") == nil)
    #expect(fault("https://x.org", contact: String(repeating: "a", count: longest + 1) + "@x.org") == .contact)
  }

  @Test("Only Pelias accepts a key, of printable characters")
  func keys() {
    #expect(fault("https://x.org", provider: .pelias, key: "ge-0123") == nil)
    #expect(fault("https://x.org", provider: .pelias, key: "a b") == .key)
    let longest = String(repeating: "k", count: RemoteLimits.keyBytesMax)
    #expect(fault("https://x.org", provider: .pelias, key: longest) == nil)
    #expect(fault("https://x.org", provider: .pelias, key: longest + "k") == .key)
    #expect(fault("https://x.org", provider: .photon, key: "ge-0123") == .keyUnused)
  }
}
