import ArgumentParser
import Domain
import Ingest
import Mail

/// Options of ingest about mail and the recovery of accounts.
struct MailOptions: ParsableArguments {
  @Option(.smtpURL)
  var smtpUrl: String?
  @Option(.smtpTLS)
  var smtpTls: String?
  @Option(.smtpUser)
  var smtpUser: String?
  @Option(.mailFrom)
  var mailFrom: String?
  @Option(.operatorContact)
  var operatorContact: String?
  @Option(.requireConfirmedEmail)
  var requireConfirmedEmail: String?

  /// Name of the sender in mails.
  private static let senderName = "On The Map"

  /// Adds the mail server and the rules of recovery to ingest's configuration.
  ///
  /// - Throws: `SettingError` for an invalid setting.
  func set(_ configuration: inout IngestConfiguration, _ settings: Settings) throws {
    configuration.mail = try mail(settings, origin: configuration.origin)
    configuration.operatorContact = try contact(settings)
    let required = settings.text(.requireConfirmedEmail, flag: requireConfirmedEmail)
    guard ["yes", "no"].contains(required) else {
      throw SettingError(.requireConfirmedEmail, expected: "yes or no", actual: required)
    }
    configuration.requiresConfirmedEmail = required == "yes"
    guard configuration.mail != nil || required == "no" else {
      throw SettingError(
        "\(Setting.smtpURL.title) is missing. \(Setting.requireConfirmedEmail.title) requires it, because accounts get "
          + "their links by mail.")
    }
  }

  /// Returns the configuration of mail. Nil if it is not set.
  private func mail(_ settings: Settings, origin: String) throws -> MailConfiguration? {
    let url = settings.optional(.smtpURL, flag: smtpUrl)
    let user = settings.optional(.smtpUser, flag: smtpUser)
    let password = try settings.secret(.smtpPassword, file: .smtpPasswordFile)
    let from = settings.optional(.mailFrom, flag: mailFrom)
    let tls = settings.optional(.smtpTLS, flag: smtpTls)
    guard let url else {
      guard user == nil, password == nil, from == nil, tls == nil else {
        throw SettingError(
          "\(Setting.smtpURL.title) is missing. Set it, or none of ONTHEMAP_SMTP_… and \(Setting.mailFrom.name).")
      }
      return nil
    }
    guard !origin.isEmpty else {
      throw SettingError(
        "\(Setting.publicURL.title) is missing. Mails require it for their links: for example https://example.org.")
    }
    guard let from else {
      throw SettingError("\(Setting.mailFrom.title) is missing. \(Setting.smtpURL.title) requires it.")
    }
    guard let sender = EmailAddress(from).flatMap({ MailAddress($0.text) }), sender.isASCII else {
      throw SettingError(.mailFrom, expected: "an email address such as map@example.org", actual: from)
    }
    return MailConfiguration(
      server: try server(url, tls: tls, user: user ?? "", password: password ?? ""),
      sender: MailMessage.Mailbox(name: HeaderText(MailOptions.senderName), address: sender))
  }

  private func server(_ url: String, tls: String?, user: String, password: String) throws -> SMTPServer {
    if let tls, !["required", "none"].contains(tls) {
      throw SettingError(.smtpTLS, expected: "required or none", actual: tls)
    }
    do throws(SMTPServer.ConfigurationError) {
      return try SMTPServer(url: url, isPlaintext: tls.map { $0 == "none" }, user: user, password: password)
    } catch {
      switch error {
      case .url:
        // The part before an @ may be a password.
        let shown = url.contains("@") ? "a URL with user or password" : url
        throw SettingError(
          .smtpURL, expected: "smtp://HOST:PORT or smtps://HOST:PORT, such as \(Setting.smtpURL.exampleValue)",
          actual: shown)
      case .credentials:
        throw SettingError(
          "\(Setting.smtpUser.title) and \(Setting.smtpPasswordFile.name) must both be set, or neither, without "
            + "control characters.")
      case .plaintextPassword:
        throw SettingError(
          "\(Setting.smtpTLS.title) is none, so the password would cross the network unencrypted. Set it to required, "
            + "or remove the user and the password.")
      }
    }
  }

  /// Returns the operator's contact. Nil if it is not set.
  private func contact(_ settings: Settings) throws -> String? {
    guard let contact = settings.optional(.operatorContact, flag: operatorContact) else { return nil }
    let isLink = contact.wholeMatch(of: #/https?:\/\/[\x21-\x7E]+/#) != nil
    guard contact.utf8.count <= Limits.operatorContactBytesMax, isLink || EmailAddress(contact) != nil else {
      throw SettingError(
        .operatorContact, expected: "an email address or a URL, such as https://example.org/help", actual: contact)
    }
    return contact
  }
}
