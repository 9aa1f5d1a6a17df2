import ArgumentParser
import Foundation
import Ingest
import Mail
import Testing

@testable import Commands

@Suite("The settings of mail")
struct MailSettingTests {
  /// Prepares ingest with options, and with a file of settings.
  private func prepared(_ options: [String], file text: String = "") async throws -> PreparedServices {
    let file = FileManager.default.temporaryDirectory.appending(path: "onthemap-\(UUID().uuidString).env")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await IngestCommand.parse(["--config", file.path, "--operations", "none"] + options).prepare()
  }

  private static let complete = [
    "--smtp-url", "smtp://mail.example.org", "--mail-from", "Map@example.org", "--public-url",
    "https://map.example.org",
  ]

  @Test("A server with a sender and a public URL enables mail, with a password from a setting that is never shown")
  func complete() async throws {
    let prepared = try await prepared(
      Self.complete + ["--smtp-user", "map", "--require-confirmed-email", "yes"],
      file: "ONTHEMAP_SMTP_PASSWORD=hunter2\n")
    let ingest = try #require(prepared.plan.ingest)
    let mail = try #require(ingest.mail)
    #expect(mail.server.host == "mail.example.org" && mail.server.port == 587 && mail.server.hasCredentials)
    #expect(mail.server.encryption == .startTLS && mail.sender.address.text == "map@example.org")
    #expect(ingest.requiresConfirmedEmail && ingest.operatorContact == nil)
    #expect(!prepared.settings.effective.contains { $0.text.contains("hunter2") })
  }

  @Test("Mail is off without a server, and a contact of the operator is allowed")
  func off() async throws {
    for contact in ["help@example.org", "https://example.org/help?a=b"] {
      let ingest = try #require(try await prepared(["--operator-contact", contact]).plan.ingest)
      #expect(ingest.mail == nil && !ingest.requiresConfirmedEmail && ingest.operatorContact == contact)
    }
  }

  /// Invalid options, each after the complete ones if `isAdded`, with a part of the error.
  private static let invalid: [(isAdded: Bool, options: [String], error: String)] = [
    (
      false, ["--smtp-url", "smtp://a.example", "--public-url", "https://b.example"],
      "--mail-from (ONTHEMAP_MAIL_FROM) is missing"
    ),
    (
      false, ["--smtp-url", "smtp://a.example", "--mail-from", "a@b.example"],
      "--public-url (ONTHEMAP_PUBLIC_URL) is missing"
    ),
    (false, ["--mail-from", "a@b.example"], "--smtp-url (ONTHEMAP_SMTP_URL) is missing"),
    (false, ["--smtp-user", "map"], "--smtp-url (ONTHEMAP_SMTP_URL) is missing"),
    (false, ["--require-confirmed-email", "yes"], "--smtp-url (ONTHEMAP_SMTP_URL) is missing"),
    (false, ["--require-confirmed-email", "maybe"], "must be yes or no, not \"maybe\""),
    (false, ["--operator-contact", "javascript:alert(1)"], "must be an email address or a URL"),
    (false, ["--operator-contact", "nowhere"], "must be an email address or a URL"),
    (true, ["--smtp-url", "http://a.example"], "must be smtp://HOST:PORT or smtps://HOST:PORT"),
    (true, ["--smtp-url", "smtp://u:hidden@a.example"], "not \"a URL with user or password\""),
    (true, ["--mail-from", "map"], "must be an email address such as map@example.org, not \"map\""),
    (true, ["--mail-from", "zoë@example.org"], "must be an email address"),
    (true, ["--mail-from", "a@b.example\r\nBcc: c@d.example"], "must be an email address"),
    (true, ["--smtp-tls", "maybe"], "must be required or none, not \"maybe\""),
    (true, ["--smtp-user", "map"], "must both be set, or neither"),
  ]

  @Test("An incomplete or invalid setting is refused, without showing a secret", arguments: invalid.indices)
  func refused(index: Int) async throws {
    let (isAdded, options, text) = Self.invalid[index]
    let error = await #expect(throws: SettingError.self) {
      _ = try await self.prepared((isAdded ? Self.complete : []) + options)
    }
    let description = error?.description ?? ""
    #expect(description.contains(text) && !description.contains("hidden"), "\(description)")
  }

  @Test("A password without encryption to another host is refused")
  func plaintext() async throws {
    let error = await #expect(throws: SettingError.self) {
      _ = try await self.prepared(
        Self.complete + ["--smtp-user", "map", "--smtp-tls", "none"], file: "ONTHEMAP_SMTP_PASSWORD=hunter2\n")
    }
    #expect(error?.description.contains("would cross the network unencrypted") == true)
    let mail = try await prepared(Self.complete + ["--smtp-tls", "none"]).plan.ingest?.mail
    #expect(mail?.server.encryption == .plaintext)
  }
}
