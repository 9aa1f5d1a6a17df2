import Domain
import Mail

/// Check of the mail server: connects, starts TLS and logs in, as ingest does. Sends no mail.
enum MailCheck {
  private static let id = "mail-server"

  /// Runs the check. Returns no result without a mail server.
  static func run(_ mail: MailConfiguration?) async -> [Check] {
    guard let mail else { return [] }
    let connection = SMTPConnection(to: mail.server, sender: mail.sender.address)
    let limit = Duration.milliseconds(Limits.mailSendMs) + .seconds(1)
    let result: Result<Void, MailFailure>? = await bounded(limit) {
      do throws(MailFailure) {
        try connection.check()
        return .success(())
      } catch { return .failure(error) }
    }
    let server = "\(mail.server.host):\(mail.server.port)"
    return switch result {
    case .success?: [.ok(id, found(mail.server, server))]
    case .failure(let failure)?:
      [.failure(id, "\(server): \(failure)", remedy: remedy(failure))]
    case nil: [.notChecked(id, "\(server) has no answer in time")]
    }
  }

  private static func found(_ server: SMTPServer, _ name: String) -> String {
    let login = server.hasCredentials ? "accepts the login" : "accepts connections"
    return server.encryption == .plaintext ? "\(name) \(login), without TLS" : "\(name) \(login), with TLS"
  }

  private static func remedy(_ failure: MailFailure) -> String {
    switch failure.stage {
    case .lookup, .connection:
      "Check the host and the port in ONTHEMAP_SMTP_URL, the name server and the firewall, and allow the address with "
        + "IPAddressAllow="
    case .encryption:
      "Check the server's certificate, the certificates of this host, and that the port offers STARTTLS, or TLS with "
        + "smtps://"
    case .login: "Check ONTHEMAP_SMTP_USER and the password"
    case .delivery: "Read the server's log"
    }
  }
}
